// In a real browser: the suite, and the faults that only a real one has.
import { bytesToHex } from '@noble/hashes/utils.js';
import { openDB } from 'idb';
import { expect, test } from 'vitest';
import { noise, storeSuite } from '../../test/faults/storeSuite.ts';
import { smallLog } from '../../test/faults/log.ts';
import { openIdbStore } from './idbStore.ts';
import { askToKeep } from './keeping.ts';
import { openStore } from './open.ts';
import { takeRunLock } from './runLock.ts';
import { newRunId } from './store.ts';

let count = 0;
const fresh = () => `test-${Date.now()}-${count++}`;
const log = smallLog(6);

storeSuite('IndexedDB', () => openIdbStore({ name: fresh() }));

test('a blob beyond what one value may hold is stored in portions', async () => {
  const store = await openIdbStore({ name: fresh() });
  const bytes = noise(9, 140 << 20);
  const hash = bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  const id = newRunId();
  await store.append(id, log[0]!, { [hash]: bytes });
  expect((await store.blob(hash))?.length).toBe(140 << 20);
  await store.remove(id);
  store.close();
}, 60_000);

test('every opener is told of an old tab that blocks an upgrade; when it lets go, opening works', async () => {
  const name = fresh();
  const old = await openDB(name, 1); // has no handler, as a stuck tab
  const openers = [1, 2, 3].map(() => openStore({ name, version: 2, blockedMs: 400 }));
  for (const outcome of await Promise.allSettled(openers)) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'storage/blocked', hint: /close the other tabs/ },
    });
  }
  old.close();
  (await openStore({ name, version: 2 })).close();
});

test('a newer page takes over: the older store says so; an older page is told to reload', async () => {
  const name = fresh();
  const older = await openIdbStore({ name, version: 1 });
  const newer = await openIdbStore({ name, version: 2 });
  const id = newRunId();
  await expect(older.append(id, log[0]!)).rejects.toMatchObject({ code: 'storage/closed', message: /newer version/ });
  await newer.append(id, log[0]!);
  await expect(openStore({ name, version: 1 })).rejects.toMatchObject({ code: 'storage/newer' });
  newer.close();
});

test('one run at a time: the second is told who has it, a frame that is gone lets go', async () => {
  const release = await takeRunLock('snake: training', new Date(2026, 10, 30, 9, 5));
  await expect(takeRunLock('other')).rejects.toMatchObject({
    code: 'storage/locked',
    message: 'another tab runs “snake: training” since 09:05',
  });
  release();
  const held = `navigator.locks.request('s3gym-run', () => { postMessage(0); return new Promise(() => {}); })`;
  const worker = new Worker(URL.createObjectURL(new Blob([held])));
  await new Promise((resolve) => (worker.onmessage = resolve));
  await expect(takeRunLock('mine')).rejects.toMatchObject({
    code: 'storage/locked',
    message: 'another tab runs a run',
  });
  worker.terminate();
  await expect
    .poll(() =>
      takeRunLock('mine').then(
        (letGo) => (letGo(), 'taken'),
        (error) => error.code,
      ),
    )
    .toBe('taken');
});

test('the browser is asked to keep the store, and answers', async () => {
  const { persistent, used, room } = await askToKeep();
  expect(typeof persistent).toBe('boolean');
  expect(used).toBeGreaterThanOrEqual(0);
  expect(room).toBeGreaterThan(0);
});
