import * as Comlink from 'comlink';
import { expect, expectTypeOf, test } from 'vitest';
import type { FaultyApi } from '../../test/faults/faulty.worker.ts';
import type { CodedError } from '../errors.ts';
import { WorkerOwner, type OwnerOptions } from './owner.ts';

let last: Worker | null = null;
const faulty = () => {
  last = new Worker(new URL('../../test/faults/faulty.worker.ts', import.meta.url), { type: 'module' });
  return last;
};
const own = (options: Partial<OwnerOptions> = {}) =>
  new WorkerOwner<FaultyApi>({ name: 'test worker', create: faulty, ...options });
const code = (call: Promise<unknown>) =>
  call.then(
    (value) => `resolved ${String(value)}`,
    (error: CodedError) => error.code,
  );

test('calls keep their types', async () => {
  const owner = own();
  const echoed = owner.run((api) => api.echo(3));
  expectTypeOf(owner.run((api) => api.count())).toEqualTypeOf<Promise<number>>();
  expectTypeOf(owner.run((api) => api.slow(1))).toEqualTypeOf<Promise<string>>();
  expect(await echoed).toBe(3);
  const seen: number[] = [];
  expect(
    await owner.run((api) =>
      api.report(
        Comlink.proxy(async (done: number) => void seen.push(done)),
        3,
      ),
    ),
  ).toBe(3);
  expect(seen).toEqual([1, 2, 3]);
  owner.terminate();
});

test('errors cross with code, hint and detail, whatever was thrown', async () => {
  const owner = own();
  await expect(owner.run((api) => api.throwCoded())).rejects.toMatchObject({
    code: 'game/unknown',
    message: 'no such game',
    hint: 'choose another',
    detail: 'more',
  });
  await expect(owner.run((api) => api.throwPlain())).rejects.toMatchObject({ code: 'worker/threw', message: 'plain' });
  await expect(owner.run((api) => api.throwOdd())).rejects.toMatchObject({ hint: 'null' });
  await expect(owner.run((api) => api.odd())).rejects.toMatchObject({ code: 'worker/threw' });
  await expect(owner.run((api) => api.echo(() => 1))).rejects.toMatchObject({ code: 'worker/not-cloneable' });
  expect(await owner.run((api) => api.echo('still there'))).toBe('still there');
  owner.terminate();
});

test('calls wait for one another, or not where they are told so', async () => {
  const order: string[] = [];
  const both = async (owner: WorkerOwner<FaultyApi>) => {
    order.length = 0;
    const slow = owner.run((api) => api.slow(60)).then(() => order.push('slow'));
    await Promise.all([slow, owner.run((api) => api.echo(1)).then(() => order.push('quick'))]);
    owner.terminate();
    return order.join(' ');
  };
  expect(await both(own())).toBe('slow quick');
  expect(await both(own({ parallel: true }))).toBe('quick slow');
});

test('a call over its time ends the worker; the others hear why', async () => {
  const owner = own();
  await owner.ready();
  const hung = owner.run((api) => api.hang(), { timeoutMs: 300 });
  const next = owner.run((api) => api.echo(1), { timeoutMs: 300 });
  const started = performance.now();
  expect(await code(hung)).toBe('worker/timeout');
  expect(performance.now() - started).toBeLessThan(5000);
  await expect(next).rejects.toMatchObject({ code: 'worker/terminated', message: /did not answer within 0.3 s/ });
  expect(await code(owner.run((api) => api.echo(1)))).toBe('worker/terminated');
});

test.each([
  ['an uncaught error', (api: Comlink.Remote<FaultyApi>) => api.crash(), 'worker/crashed'],
  ['an unseen rejection', (api: Comlink.Remote<FaultyApi>) => api.reject(), 'gpu/lost'],
  ['closing itself', (api: Comlink.Remote<FaultyApi>) => api.close(), 'worker/closed'],
])('%s rejects every pending call', async (_, fail, expected) => {
  const deaths: string[] = [];
  const owner = own({ parallel: true, onDeath: (error) => deaths.push(error.code) });
  const calls = [owner.run((api) => api.never()), owner.run(fail), owner.run((api) => api.never())];
  expect(await Promise.all(calls.map(code))).toEqual([expected, expected, expected]);
  expect(deaths).toEqual([expected]);
  expect(owner.dead?.code).toBe('worker/terminated');
});

test('an unreadable message and being terminated reject every pending call', async () => {
  const unreadable = own({ parallel: true });
  const pending = [unreadable.run((api) => api.never()), unreadable.run((api) => api.never())].map(code);
  await unreadable.ready();
  last!.dispatchEvent(new MessageEvent('messageerror'));
  expect(await Promise.all(pending)).toEqual(['worker/unreadable', 'worker/unreadable']);

  const ended = own();
  const calls = [ended.run((api) => api.never()), ended.run((api) => api.echo(1))].map(code);
  await new Promise((resolve) => setTimeout(resolve, 100));
  ended.terminate();
  expect(await Promise.all(calls)).toEqual(['worker/terminated', 'worker/terminated']);
  expect(await code(ended.run((api) => api.echo(1)))).toBe('worker/terminated');
});

test('a worker that is never ready, is missing or cannot be made is not waited for', async () => {
  const mute = () => new Worker(URL.createObjectURL(new Blob([''])));
  const first = own({ create: mute, readyMs: 200 });
  const calls = [first.run((api) => api.echo(1)), first.ready()].map(code);
  expect(await Promise.all(calls)).toEqual(['worker/not-ready', 'worker/not-ready']);
  const missing = own({ create: () => new Worker('/nowhere/at-all.js', { type: 'module' }) });
  expect(await code(missing.run((api) => api.echo(1)))).toBe('worker/crashed');
  const impossible = own({
    create: () => {
      throw new Error('no workers here');
    },
  });
  await expect(impossible.ready()).rejects.toMatchObject({ code: 'worker/not-ready', message: /no workers here/ });
});

test('an aborted call is rejected at once: waiting, running, or ending the worker', async () => {
  const owner = own();
  const [a, b] = [new AbortController(), new AbortController()];
  const running = owner.run((api) => api.slow(150), { signal: a.signal });
  const waiting = owner.run((api) => api.count(), { signal: b.signal });
  await new Promise((resolve) => setTimeout(resolve, 50));
  b.abort();
  a.abort();
  expect(await Promise.all([running, waiting].map(code))).toEqual(['worker/aborted', 'worker/aborted']);
  expect(await owner.run((api) => api.count())).toBe(1);
  expect(await code(owner.run((api) => api.count(), { signal: a.signal }))).toBe('worker/aborted');
  const c = new AbortController();
  const hung = owner.run((api) => api.hang(), { signal: c.signal, endOnAbort: true });
  c.abort();
  expect(await code(hung)).toBe('worker/aborted');
  expect(owner.dead).not.toBeNull();
});

test('an idle worker is ended and started again when asked', async () => {
  const owner = own({ idleMs: 80 });
  expect(await owner.run((api) => api.count())).toBe(1);
  expect(await owner.run((api) => api.count())).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(await owner.run((api) => api.count())).toBe(1);
  owner.terminate();
});
