// The whole of it in a real browser: lab worker, model worker, game workers, IndexedDB, locks. Only the model is a script.
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { essence } from '../../test/faults/log.ts';
import { localGameHost } from '../gym/host.ts';
import { smallRun } from '../gym/testing.ts';
import { firstBreak } from '../log/chain.ts';
import type { RunEvent } from '../log/events.ts';
import type { LabMessage } from './contract.ts';
import { openLab } from './labClient.ts';
import { openRemoteModel, type ModelWorkerApi, type RemoteOptions } from './remoteModel.ts';
import { WorkerOwner } from './owner.ts';

const settings = { games: ['trust-v1', 'snake-v1'], pathways: ['frozen', 'summary'], explore: 2, every: 1, strict: 2 };
let count = 0;
let messages: LabMessage[] = [];
let opened: { close(): void }[] = [];
let worker: Worker | null = null;

async function lab(name: string) {
  const create = () => {
    worker = new Worker(new URL('../../test/faults/lab.worker.ts', import.meta.url), { type: 'module', name });
    return worker;
  };
  const one = await openLab((message) => messages.push(message), create);
  opened.push(one);
  return one;
}
const fresh = () => `lab-${Date.now()}-${count++}`;
const states = () => messages.flatMap((message) => (message.kind === 'state' ? message.state : []));
const told = () => messages.flatMap((message) => (message.kind === 'event' ? message.event : []));
const until = (state: string) => expect.poll(() => states().at(-1), { timeout: 20_000 }).toBe(state);
const whole = (): Promise<RunEvent[]> => smallRun(settings, [], { host: localGameHost() });

afterEach(() => {
  for (const one of opened) one.close();
  [opened, messages] = [[], []];
});

test('a run through all the workers is the run that plays in one thread', async () => {
  const one = await lab(fresh());
  const id = await one.start(settings);
  await until('done');
  const events = await one.events(id);
  expect(firstBreak(events)).toBeNull();
  expect(essence(events)).toEqual(essence(await whole()));
  expect(told()).toEqual(events);
  expect(messages.filter(({ kind }) => kind === 'loading').length).toBe(3);
  expect(await one.verify(id)).toMatchObject({ ok: true });
  const file = await one.exportRun(id, { blobs: true });
  const copy = await one.importRun(file);
  expect(await one.events(copy)).toEqual(events);
  await expect(one.importRun(new Blob(['<!doctype html>']))).rejects.toMatchObject({ code: 'import/not-a-log' });
  await expect(one.start({ games: ['nothing'] })).rejects.toMatchObject({ code: 'game/unknown' });
});

test('a lab that dies in the middle of a run rejects what is pending; a new one goes on to the same log', async () => {
  const name = fresh();
  const first = await lab(name);
  const id = await first.start(settings);
  await expect.poll(() => told().length, { timeout: 10_000 }).toBeGreaterThan(12);
  const pending = [first.verify('none'), first.stop()].map((call) =>
    call.then(
      () => 'resolved',
      (error) => error.code,
    ),
  );
  worker!.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }));
  expect(await Promise.all(pending)).toEqual(['worker/crashed', 'worker/crashed']);
  expect(messages.at(-1)).toMatchObject({ kind: 'error', error: { code: 'worker/crashed' } });
  expect(first.dead).toBe(true);
  messages = [];

  const second = await lab(name);
  expect(await second.runs()).toMatchObject([{ id, state: 'open' }]);
  await second.resume(id);
  await until('done');
  const events = await second.events(id);
  expect(firstBreak(events)).toBeNull();
  expect(events.filter(({ type }) => type === 'run.resumed').length).toBe(1);
  expect(essence(events)).toEqual(essence(await whole()));
});

test('while one tab runs, another is told who does', async () => {
  const [name, settings2] = [fresh(), { ...settings, explore: 50 }];
  const first = await lab(name);
  await first.start(settings2);
  const second = await lab(name);
  await expect(second.start(settings)).rejects.toMatchObject({ code: 'storage/locked', message: /another tab runs “/ });
  expect((await second.runs()).length).toBe(1);
  await first.pause();
  await first.stop();
  await second.start(settings);
  await second.stop();
});

test('the page’s own lab says when there is no such model', async () => {
  const one = await openLab((message) => messages.push(message));
  opened.push(one);
  await expect(one.start({ ...settings, model: 'models/not-there' })).rejects.toMatchObject({ code: 'model/missing' });
  expect(await one.models()).toEqual([]);
});

const create = () => new Worker(new URL('../../test/faults/model.worker.ts', import.meta.url), { type: 'module' });
const open = (model: string, options: RemoteOptions = {}) =>
  openRemoteModel({ model, threads: 0, base: location.href }, { create, ...options });
const request = (seed: number) => ({
  parts: [{ role: 'system' as const, text: 'collaborate or cheat' }],
  sampling: { temperature: 1, seed, maxTokens: 20 },
  adapter: null,
});

test('a model in a worker keeps its types, tells its progress and is trained from here', async () => {
  const api = (owner: WorkerOwner<ModelWorkerApi>) => owner.run((model) => model.training.score([[1]], null));
  expectTypeOf(api).returns.toEqualTypeOf<Promise<number[][]>>();
  const seen: unknown[] = [];
  const model = await open('trainable', { progress: (...progress) => seen.push(progress) });
  // Progress has a channel of its own: it may come after the answer.
  await expect.poll(() => seen).toEqual([1, 2, 3].map((done) => ['weights', done, 3]));
  expect((await model.complete([request(1), request(2)])).map(({ finish }) => finish)).toEqual(['stop', 'stop']);
  expect(await model.training!.fresh({ rank: 8, alpha: 16, targets: [] }, 3)).toEqual({ hash: '8 3', norms: { a: 1 } });
  expect((await model.training!.files('x')).tensors).toEqual(new Uint8Array([1, 2, 3]));
  expect(await model.training!.score([[1, 2]], null)).toEqual([[-1, -1]]);
  await expect(model.training!.finish()).rejects.toMatchObject({ message: 'a script cannot be trained' });
  await model.close();
  await expect(model.countTokens(['a'])).rejects.toMatchObject({ code: 'worker/terminated' });
  expect((await open('script')).training).toBeUndefined();
});

test('an abort ends the work in there: what was written so far comes back', async () => {
  const model = await open('script');
  const controller = new AbortController();
  const running = model.complete(
    Array.from({ length: 2000 }, (_, seed) => request(seed)),
    controller.signal,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  controller.abort();
  const finishes = (await running).map(({ finish }) => finish);
  expect([finishes[0], finishes.at(-1)]).toEqual(['stop', 'aborted']);
  const gone = new AbortController();
  const opening = open('endless', { signal: gone.signal });
  gone.abort();
  await expect(opening).rejects.toMatchObject({ code: 'worker/aborted' });
});
