import { afterEach, expect, test } from 'vitest';
import { countSource } from '../../test/faults/games.ts';
import { localGameHost, type GameHost } from '../gym/host.ts';
import { checkUserGame, workerGameHost, type PoolOptions } from './gameHost.ts';
import { gameWorker, userGameWorker } from './spawn.ts';

const sources = { 'count-v1': countSource('count-v1'), 'other-v1': countSource('other-v1') };
const spec = (seed: number, game = 'count-v1') => ({ game, preset: 'pocket', phase: 'explore', seed }) as const;

let hosts: GameHost[] = [];
let started = 0;
const pool = (options: PoolOptions = {}) => {
  const create = () => {
    started += 1;
    return gameWorker();
  };
  const host = workerGameHost({ sources, create, ...options });
  hosts.push(host);
  return host;
};
afterEach(async () => {
  for (const host of hosts) await host.close();
  [hosts, started] = [[], 0];
});

test('our games play in workers as they play here', async () => {
  const [there, here] = [pool(), localGameHost()];
  const both = async <T>(ask: (host: GameHost) => Promise<T>) => {
    const [a, b] = [await ask(there), await ask(here)];
    expect(a).toEqual(b);
    return a;
  };
  const snake = { ...spec(3, 'snake-v1'), phase: 'strict' } as const;
  const ids = new Map([there, here].map((host) => [host, '']));
  await both(async (host) => {
    const { id, ...start } = await host.reset(snake);
    ids.set(host, id);
    return start;
  });
  await both((host) => host.actions(ids.get(host)!));
  for (let over = false; !over;) {
    const action = await both((host) => host.expert(ids.get(host)!));
    over = (await both((host) => host.step(ids.get(host)!, action))).over;
  }
  await expect(there.step(ids.get(there)!, 'UP')).rejects.toMatchObject({ code: 'game/over' });
  await expect(there.reset(spec(1, 'none-v1'))).rejects.toMatchObject({ code: 'game/unknown' });
  await expect(there.step('g99', '1')).rejects.toMatchObject({ code: 'game/no-episode' });
});

test('a game that hangs dies in two seconds; the other episodes of its worker go on as if nothing had been', async () => {
  const host = pool({ size: 1 });
  const starts = await Promise.all([1, 2, 3, 4].map((seed) => host.reset(spec(seed))));
  for (const { id } of starts) expect(await host.step(id, await host.expert(id))).toMatchObject({ score: 1 });
  expect(started).toBe(1);
  const since = performance.now();
  let diedAfter = 0;
  const steps = starts.map(({ id }, i) => host.step(id, i === 1 ? 'hang' : '5'));
  steps[1]!.catch(() => (diedAfter = performance.now() - since));
  const outcomes = await Promise.allSettled(steps);
  expect(diedAfter).toBeGreaterThan(1900);
  expect(diedAfter).toBeLessThan(6000);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'game/hung', message: expect.stringMatching(/within 2 s/) } });
  expect(started).toBe(2);
  await expect(host.step(starts[1]!.id, '5')).rejects.toMatchObject({ code: 'game/hung' });
  await host.release(starts[1]!.id);
  for (const i of [0, 2, 3]) {
    const { id } = starts[i]!;
    let report = await host.step(id, await host.expert(id));
    expect(report.score).toBe(2);
    while (!report.over) report = await host.step(id, await host.expert(id));
    expect(report.endReason).toBe('steps');
  }
});

test('a game that throws, at once or later, is a fault of its episode', async () => {
  const host = pool({ size: 1 });
  const [a, b, c] = [await host.reset(spec(1)), await host.reset(spec(2)), await host.reset(spec(3))];
  await expect(host.step(a.id, 'throw')).rejects.toMatchObject({ code: 'game/threw' });
  expect(await host.step(b.id, '1')).toMatchObject({ valid: true });
  await host.step(b.id, 'later');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await host.step(c.id, '1')).toMatchObject({ valid: true });
});

test('a worker is used again after a clean end only', async () => {
  const host = pool({ size: 1 });
  const play = async (id: string) => {
    for (let over = false; !over;) ({ over } = await host.step(id, '1'));
    await host.release(id);
  };
  const first = await host.reset(spec(1));
  expect((await host.step(first.id, 'count')).feedback).toContain('played 1');
  await play(first.id);
  const second = await host.reset(spec(2));
  expect((await host.step(second.id, 'count')).feedback).toContain('played 2');
  expect(started).toBe(1);
  await host.release(second.id);
  const third = await host.reset(spec(3));
  expect((await host.step(third.id, 'count')).feedback).toContain('played 1');
  expect(started).toBe(2);
});

test('games of different makers never share a worker', async () => {
  const host = pool({ size: 1 });
  await Promise.all([host.reset(spec(1)), host.reset(spec(1, 'other-v1')), host.reset(spec(1, 'snake-v1'))]);
  expect(started).toBe(3);
});

/** What a user-made game finds when it is loaded. */
async function finds(extra: string) {
  const host = pool({ sources: { 'count-v1': countSource('count-v1', extra) } });
  const { id } = await host.reset(spec(1));
  return (await host.step(id, 'found')).feedback;
}

test('what a user-made game has no business with is gone', async () => {
  const names = ['fetch', 'XMLHttpRequest', 'WebSocket', 'importScripts', 'indexedDB', 'caches', 'Worker', 'FontFace'];
  const there = `globalThis.found = ${JSON.stringify(names)}.filter((name) => globalThis[name] !== undefined)`;
  expect(await finds(there)).toBe('invalid: ');
  const behind = 'globalThis.found = [navigator.locks, navigator.storage, WorkerGlobalScope.prototype.fetch]';
  expect(await finds(behind)).toBe('invalid: ,,');
});

test('a user-made game imports nothing from elsewhere', async () => {
  const tried = `globalThis.found = await import('data:text/javascript,').then(() => 'loaded', () => 'refused')`;
  expect(await finds(tried)).toBe('invalid: refused');
});

test('where no content policy is, no user-made game is loaded', async () => {
  // Tests run in a page without a policy, and so does what inherits from it.
  const host = pool({ create: userGameWorker });
  await expect(host.reset(spec(1))).rejects.toMatchObject({ code: 'game/no-policy' });
  await expect(checkUserGame(sources['count-v1'])).rejects.toMatchObject({ code: 'game/no-policy' });
  expect(await host.reset(spec(3, 'snake-v1'))).toMatchObject({ id: expect.any(String) });
});

test.each([
  ['no JavaScript', 'export default {', 'game/bad-source'],
  ['no game', 'export default { id: "count-v1" }', 'game/bad-source'],
  ['throws', countSource('count-v1', 'throw new Error("at once")'), 'game/bad-source'],
  ['another id', countSource('else-v1'), 'game/unknown'],
  ['hangs', countSource('count-v1', 'for (;;);'), 'game/hung'],
])('a source that is no game: %s', async (_, source, code) => {
  const host = pool({ sources: { 'count-v1': source }, slowMs: 800 });
  await expect(host.reset(spec(1))).rejects.toMatchObject({ code });
});

test('the conformance suite runs on a user-made game, and ends one that hangs', async () => {
  const seen: string[] = [];
  const progress = (check: string) => void seen.push(check);
  const results = await checkUserGame(sources['count-v1'], { create: gameWorker, seeds: 20, progress });
  expect(results.find(({ check }) => check === 'determinism')).toMatchObject({ ok: true });
  expect(seen.length).toBeGreaterThan(0);
  const loops = sources['count-v1'].replace('(config, state) => String(state.target)', '() => { for (;;); }');
  await expect(checkUserGame(loops, { create: gameWorker, seeds: 5 })).rejects.toMatchObject({ code: 'game/hung' });
});

test('a worker that cannot start is no fault of the game', async () => {
  const host = workerGameHost({ create: () => new Worker(URL.createObjectURL(new Blob(['']))), readyMs: 200 });
  await expect(host.reset(spec(1, 'snake-v1'))).rejects.toMatchObject({ code: 'worker/not-ready' });
});
