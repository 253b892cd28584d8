// What every store must do, run against memory, fake-indexeddb and a real browser.
import { expect, test } from 'vitest';
import { hashBytes } from '../../src/hash.ts';
import { Chain } from '../../src/log/chain.ts';
import type { RunEvent } from '../../src/log/events.ts';
import { exportRun, importRun } from '../../src/log/transfer.ts';
import { eventsOf, newRunId, type RunStore } from '../../src/log/store.ts';
import { openedDraft, smallLog } from './log.ts';

/** Noise, because browsers compress what they store. */
export const noise = (seed: number, length: number) => {
  const bytes = new Uint8Array(length);
  // xorshift32 (Marsaglia 2003)
  for (let i = 0, state = seed + 1; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state >>> 8;
  }
  return bytes;
};

export const blobOf = (seed: number, length = 1000) => {
  const bytes = noise(seed, length);
  return { hash: hashBytes(bytes), bytes };
};

export async function all(store: RunStore, runId: string, from?: number, to?: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of eventsOf(store, runId, from, to)) events.push(event);
  return events;
}

export function storeSuite(name: string, open: () => Promise<RunStore>) {
  const log = smallLog(40);

  const using = (what: string, body: (store: RunStore) => Promise<void>) =>
    test(`${name}: ${what}`, async () => {
      const store = await open();
      try {
        await body(store);
      } finally {
        store.close();
      }
    });

  using('appends in order, reads by range, knows its runs', async (store) => {
    const [a, b] = [newRunId(), newRunId()];
    for (const event of log) await store.append(a, event);
    await store.append(b, log[0]!);
    expect(await all(store, a)).toEqual(log);
    expect(await all(store, a, 30, 36)).toEqual(log.slice(30, 36));
    expect(await all(store, a, 41)).toEqual(log.slice(41));
    expect(await all(store, 'none')).toEqual([]);
    expect(await store.run(a)).toMatchObject({
      title: 'count-v1: frozen',
      events: 42,
      state: 'done',
      openedAt: log[0]!.at,
    });
    expect((await store.runs()).find(({ id }) => id === b)).toMatchObject({ events: 1, state: 'open' });
    expect((await store.run(a)).bytes).toBeGreaterThan(10_000);
    await expect(store.run('none')).rejects.toMatchObject({ code: 'storage/missing' });
  });

  using('refuses an event that is not the next, and keeps what it has', async (store) => {
    const id = newRunId();
    await store.append(id, log[0]!);
    for (const event of [log[0]!, log[2]!]) {
      await expect(store.append(id, event)).rejects.toMatchObject({ code: 'storage/conflict' });
    }
    await expect(store.append(newRunId(), log[1]!)).rejects.toMatchObject({ code: 'storage/conflict' });
    const [first, second] = await Promise.allSettled([store.append(id, log[1]!), store.append(id, log[1]!)]);
    expect([first?.status, second?.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(await all(store, id)).toEqual(log.slice(0, 2));
  });

  using('a failed run that goes on is open again', async (store) => {
    const id = newRunId();
    const chain = new Chain();
    await store.append(id, chain.link(openedDraft()));
    await store.append(id, chain.link({ type: 'run.failed', code: 'gpu/lost', message: 'm', hint: '' }));
    expect((await store.run(id)).state).toBe('failed');
    await store.append(id, chain.link({ type: 'run.resumed' }));
    expect((await store.run(id)).state).toBe('open');
  });

  using('blobs come with their event or not at all, and live as long as a run has them', async (store) => {
    const [a, b] = [newRunId(), newRunId()];
    const [one, two] = [blobOf(1), blobOf(2)];
    await store.append(a, log[0]!, { [one.hash]: one.bytes });
    const before = (await store.run(a)).bytes;
    expect(before).toBeGreaterThan(1000);
    await expect(store.append(a, log[2]!, { [two.hash]: two.bytes })).rejects.toMatchObject({
      code: 'storage/conflict',
    });
    await expect(store.append(a, log[1]!, { [two.hash]: one.bytes })).rejects.toMatchObject({ code: 'log/bad-blob' });
    expect(await store.blob(two.hash)).toBeNull();
    await store.append(a, log[1]!, { [one.hash]: one.bytes, [two.hash]: two.bytes });
    await store.insert(b, log, { [one.hash]: one.bytes });
    expect([...(await store.blobsOf(a))].sort()).toEqual([one.hash, two.hash].sort());
    await store.remove(a);
    await store.remove('none');
    expect(await store.blob(one.hash)).toEqual(one.bytes);
    expect(await store.blob(two.hash)).toBeNull();
    expect(await all(store, a)).toEqual([]);
    expect(await all(store, b)).toEqual(log);
    await store.remove(b);
    expect(await store.blob(one.hash)).toBeNull();
  });

  using('what was exported is imported as equal events, with blobs where asked for', async (store) => {
    const id = newRunId();
    const { hash, bytes } = blobOf(3, 2_000_000);
    await store.insert(id, log, { [hash]: bytes });
    const [plain, full] = [await exportRun(store, id), await exportRun(store, id, { blobs: true })];
    expect(full.size).toBeGreaterThan(plain.size + 2_000_000);
    await store.remove(id);
    const copy = await importRun(store, plain);
    expect(await all(store, copy)).toEqual(log);
    expect(await (await exportRun(store, copy)).text()).toBe(await plain.text());
    expect(await store.blob(hash)).toBeNull();
    const whole = await importRun(store, full.stream());
    expect(hashBytes((await store.blob(hash))!)).toBe(hash);
    await expect(store.insert(whole, log)).rejects.toMatchObject({ code: 'storage/conflict' });
    await expect(exportRun(store, 'none')).rejects.toMatchObject({ code: 'storage/missing' });
  });

  using('a packed file is imported as the plain one', async (store) => {
    const id = newRunId();
    const { hash, bytes } = blobOf(5);
    await store.insert(id, log, { [hash]: bytes });
    const plain = await exportRun(store, id, { blobs: true });
    const packed = await new Response(plain.stream().pipeThrough(new CompressionStream('gzip'))).blob();
    await store.remove(id);
    const copy = await importRun(store, packed);
    expect(await all(store, copy)).toEqual(log);
    expect(await store.blob(hash)).toEqual(bytes);
  });

  using('what a run was asked for stays beside its log', async (store) => {
    const [id, other] = [newRunId(), newRunId()];
    await store.append(id, log[0]!, {}, { threads: 2, model: 'models/mine' });
    await store.append(id, log[1]!);
    expect((await store.run(id)).given).toEqual({ threads: 2, model: 'models/mine' });
    await store.append(other, log[0]!);
    expect((await store.run(other)).given).toBeUndefined();
    expect(await all(store, id)).toEqual(log.slice(0, 2));
  });

  using('a bad file leaves nothing behind', async (store) => {
    const before = (await store.runs()).length;
    const lines = (await (await exported(store, log)).text()).split('\n');
    const bad = [...lines.slice(0, 20), lines[20]!.replace('"score":1.5', '"score":2'), ...lines.slice(21)].join('\n');
    await expect(importRun(store, bad)).rejects.toMatchObject({ code: 'import/bad-chain' });
    await expect(importRun(store, '<html>')).rejects.toMatchObject({ code: 'import/not-a-log' });
    expect((await store.runs()).length).toBe(before);
  });
}

async function exported(store: RunStore, log: RunEvent[]) {
  const id = newRunId();
  await store.insert(id, log);
  const blob = await exportRun(store, id);
  await store.remove(id);
  return blob;
}
