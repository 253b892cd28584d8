// The lab without a browser: a scripted player, games in this process, runs in memory.
import { beforeEach, expect, test } from 'vitest';
import { essence } from '../../test/faults/log.ts';
import { CodedError } from '../errors.ts';
import { localGameHost } from '../gym/host.ts';
import type { Settings } from '../gym/settings.ts';
import { randomPlayer, smallRun, trainablePlayer } from '../gym/testing.ts';
import { firstBreak } from '../log/chain.ts';
import type { RunEvent } from '../log/events.ts';
import { memoryStore } from '../log/memoryStore.ts';
import type { RunStore } from '../log/store.ts';
import type { GradientCheck, LanguageModel } from '../models/types.ts';
import type { LabMessage } from './contract.ts';
import { Lab, type LabServices } from './labService.ts';

const settings: Settings = {
  games: ['trust-v1'],
  pathways: ['frozen', 'history'],
  explore: 4,
  every: 2,
  strict: 2,
  development: 2,
};
const report = () => ({ report: null, ledger: null });

let store: RunStore;
let messages: LabMessage[] = [];
let locked = false;

function labOf(services: Partial<LabServices> = {}) {
  const lab = new Lab({
    openStore: async () => store,
    openModel: async () => randomPlayer(),
    openHost: () => localGameHost(),
    models: async () => [],
    lock: async () => {
      if (locked) throw new CodedError('storage/locked', 'another tab runs');
      locked = true;
      return () => (locked = false);
    },
    report,
    ...services,
  });
  void lab.listen((message) => messages.push(message));
  return lab;
}

const states = () => messages.flatMap((message) => (message.kind === 'state' ? message.state : []));
const told = () => messages.flatMap((message) => (message.kind === 'event' ? message.event : []));
const until = (state: string) => expect.poll(() => states().at(-1), { timeout: 10_000 }).toBe(state);
const episodes = (events: readonly RunEvent[]) => events.filter(({ type }) => type === 'episode').length;

/** Slow enough to be interrupted. */
const slowPlayer = (): LanguageModel => {
  const player = randomPlayer();
  return {
    ...player,
    complete: async (requests, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 3));
      if (!signal?.aborted) return player.complete(requests, signal);
      return (await player.complete(requests)).map((completion) => ({ ...completion, finish: 'aborted' as const }));
    },
  };
};

beforeEach(() => {
  [store, messages, locked] = [memoryStore(), [], false];
});

test('a run is stored event by event, told in order, and closes', async () => {
  const lab = labOf();
  const id = await lab.start(settings);
  await until('done');
  const events = await lab.events(id);
  expect(firstBreak(events)).toBeNull();
  expect(events.at(-1)).toMatchObject({ type: 'run.closed', reason: 'done' });
  expect(essence(events)).toEqual(essence(await smallRun(settings)));
  expect(told()).toEqual(events);
  expect(states()).toEqual(['loading', 'running', 'done']);
  expect(messages.some(({ kind }) => kind === 'live')).toBe(true);
  expect(await lab.runs()).toMatchObject([{ id, state: 'done', events: events.length }]);
  await expect.poll(() => locked).toBe(false);
  await expect(lab.resume(id)).rejects.toMatchObject({ code: 'log/closed' });
});

test('pause stands still, a step plays one episode, continue goes on to the same log', async () => {
  const lab = labOf({ openModel: async () => slowPlayer() });
  const id = await lab.start(settings);
  await lab.pause();
  const count = async () => (await store.run(id)).events;
  const before = await count();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await count()).toBe(before);
  const played = episodes(await lab.events(id));
  await lab.stepEpisode();
  await until('paused');
  expect(episodes(await lab.events(id))).toBe(played + 1);
  await lab.continue();
  await until('done');
  expect(essence(await lab.events(id))).toEqual(essence(await smallRun(settings)));
});

test('stop closes the log as it stands', async () => {
  const lab = labOf({ openModel: async () => slowPlayer() });
  const id = await lab.start(settings);
  await expect.poll(async () => (await store.run(id)).events, { timeout: 10_000 }).toBeGreaterThan(3);
  await lab.stop();
  const events = await lab.events(id);
  expect(events.at(-1)).toMatchObject({ type: 'run.closed', reason: 'stopped' });
  expect(firstBreak(events)).toBeNull();
  expect(states().at(-1)).toBe('done');
  await expect(lab.stop()).rejects.toMatchObject({ code: 'worker/no-run' });
});

test('a paused run may be left for another and gone on with', async () => {
  const lab = labOf({ openModel: async () => slowPlayer() });
  const first = await lab.start(settings);
  await expect(lab.start(settings)).rejects.toMatchObject({ code: 'worker/busy' });
  await lab.pause();
  const second = await lab.start({ ...settings, seeds: [2], explore: 2 });
  await until('done');
  expect((await store.run(second)).state).toBe('done');
  expect((await store.run(first)).state).toBe('open');
  await lab.resume(first);
  await until('done');
  expect(essence(await lab.events(first))).toEqual(essence(await smallRun(settings)));
});

test('a model that fails ends the run with its code in the log; resuming gives the same log', async () => {
  let calls = 0;
  const openModel = async (): Promise<LanguageModel> => {
    const player = randomPlayer();
    return {
      ...player,
      complete: async (requests, signal) => {
        if (++calls === 40) throw new CodedError('gpu/lost', 'the device is gone', 'try again');
        return player.complete(requests, signal);
      },
    };
  };
  const lab = labOf({ openModel });
  const id = await lab.start(settings);
  await until('failed');
  expect(messages.find(({ kind }) => kind === 'error')).toMatchObject({
    error: { code: 'gpu/lost', hint: 'try again' },
  });
  expect((await lab.events(id)).at(-1)).toMatchObject({ type: 'run.failed', code: 'gpu/lost' });
  expect((await store.run(id)).state).toBe('failed');
  await lab.resume(id);
  await until('done');
  const events = await lab.events(id);
  expect(firstBreak(events)).toBeNull();
  expect(essence(events)).toEqual(essence(await smallRun(settings)));
});

test('a judge that dies ends the run with its own code; the run’s model stays for the next one', async () => {
  const opened: string[] = [];
  const closed: string[] = [];
  const openModel: LabServices['openModel'] = async ({ model }, _loading, gone) => {
    const player = randomPlayer();
    const name = String(model);
    opened.push(name);
    return {
      ...player,
      close: async () => void closed.push(name),
      complete: async (requests, signal) => {
        if (name === 'strict-judge') {
          gone();
          throw new CodedError('model/stalled', 'no answer');
        }
        return player.complete(requests, signal);
      },
    };
  };
  const lab = labOf({ openModel });
  const id = await lab.start({ ...settings, judge: 'strict-judge' });
  await until('failed');
  expect((await lab.events(id)).at(-1)).toMatchObject({ type: 'run.failed', code: 'model/stalled' });
  expect(closed).toEqual(['strict-judge']);
  await lab.start(settings);
  await until('done');
  expect(opened.filter((name) => name !== 'strict-judge')).toHaveLength(1);
});

test('a model whose worker dies while it is opened fails the start with its own code', async () => {
  const told: unknown[] = [];
  const openModel: LabServices['openModel'] = async (_settings, _loading, gone) => {
    await Promise.resolve();
    try {
      gone();
    } catch (error) {
      told.push(error);
    }
    throw new CodedError('worker/crashed', 'out of memory');
  };
  const lab = labOf({ openModel });
  await expect(lab.start(settings)).rejects.toMatchObject({ code: 'worker/crashed', message: 'out of memory' });
  expect(told).toEqual([]);
});

test('two starts at once over a paused run: one of them is told to wait', async () => {
  const lab = labOf({ openModel: async () => slowPlayer() });
  const first = await lab.start(settings);
  await until('running');
  await lab.pause();
  await until('paused');
  const both = await Promise.allSettled([lab.start(settings), lab.start(settings)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(both[1]).toMatchObject({ reason: { code: 'worker/busy' } });
  await until('done');
  await lab.resume(first);
  await until('done');
});

test('a store that is full fails the run and loses nothing; it goes on when there is room', async () => {
  let full = false;
  const plain = store;
  store = {
    ...plain,
    async append(runId, event, blobs) {
      if (full) throw new CodedError('storage/quota', 'no room', 'delete runs');
      await plain.append(runId, event, blobs);
      if (event.n === 5) full = true;
    },
  };
  const lab = labOf();
  const id = await lab.start(settings);
  await until('failed');
  expect(messages.find(({ kind }) => kind === 'error')).toMatchObject({ error: { code: 'storage/quota' } });
  expect(await lab.events(id)).toEqual(told());
  full = false;
  store = plain;
  await lab.resume(id);
  await until('done');
  expect(essence(await lab.events(id))).toEqual(essence(await smallRun(settings)));
});

test('a run goes on with the settings that it was given, facts of the machine among them', async () => {
  const opened: Settings[] = [];
  const openModel: LabServices['openModel'] = async (asked) =>
    opened.push(asked) === 1 ? slowPlayer() : randomPlayer();
  const lab = labOf({ openModel });
  const id = await lab.start({ ...settings, threads: 2, model: 'models/mine' });
  await lab.pause();
  await lab.close();
  expect((await store.run(id)).settings).toMatchObject({ model: 'mine' });
  const another = labOf({ openModel });
  await another.resume(id);
  await until('done');
  expect(opened.map(({ threads, model }) => [threads, model])).toEqual(Array(2).fill([2, 'models/mine']));
});

test('what cannot be started says so and leaves nothing behind', async () => {
  const lab = labOf({
    openModel: async () => {
      throw new CodedError('model/missing', 'no such model');
    },
  });
  await expect(lab.start({ ...settings, explore: -1 })).rejects.toMatchObject({ code: 'settings/bad-value' });
  await expect(lab.start(settings)).rejects.toMatchObject({ code: 'model/missing' });
  expect(states()).toEqual(['loading', 'failed']);
  expect([locked, await lab.runs()]).toEqual([false, []]);
  locked = true;
  await expect(lab.start(settings)).rejects.toMatchObject({ code: 'storage/locked' });
  await expect(lab.pause()).rejects.toMatchObject({ code: 'worker/no-run' });
});

test('verify, export and import work on what is stored', async () => {
  const lab = labOf();
  const id = await lab.start(settings);
  await until('done');
  expect(await lab.verify(id)).toMatchObject({ ok: true, differences: [] });
  const events = await lab.events(id);
  const copy = await lab.importRun(await lab.exportRun(id));
  expect(await lab.events(copy)).toEqual(events);
  await lab.remove(id);
  expect((await lab.runs()).map((run) => run.id)).toEqual([copy]);
});

test('a gradient is checked on the run’s own model, and only where nobody else computes', async () => {
  const { model, training } = trainablePlayer();
  const check = { verdict: 'agrees' } as GradientCheck;
  let asked = 0;
  const checkGradient = async () => {
    expect(locked).toBe(true);
    asked += 1;
    return check;
  };
  const lab = labOf({ openModel: async () => ({ ...model, training: { ...training, checkGradient } }) });
  const id = await lab.start({ ...settings, pathways: ['frozen', 'training'], keep: 'episodes' });
  await until('done');
  await expect.poll(() => locked).toBe(false);
  const saved = (await lab.events(id)).find((event) => event.type === 'adapter.saved')!;
  const prove = () => lab.proveTraining(id, saved.hash, 'any', () => undefined);
  expect(await prove()).toMatchObject({ adapter: saved.hash, baseHash: saved.baseHash, check });
  expect(locked).toBe(false);
  locked = true;
  await expect(prove()).rejects.toMatchObject({ code: 'storage/locked' });
  locked = false;
  await lab.start({ ...settings, explore: 40 });
  await expect(prove()).rejects.toMatchObject({ code: 'worker/busy' });
  expect(asked).toBe(1);
  await lab.stop();
});
