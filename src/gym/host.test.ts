import { expect, test } from 'vitest';
import { findTestGame } from '../../test/faults/games.ts';
import { localGameHost } from './host.ts';

const host = () => localGameHost(findTestGame);
const spec = { game: 'count', preset: 'pocket', phase: 'explore', seed: 7 } as const;

test('an episode is played by its id; the expert reaches the best score', async () => {
  const games = host();
  const start = await games.reset(spec);
  expect(start).toMatchObject({ role: 'exploration', stepCap: 6, cluster: expect.stringMatching(/even|odd/) });
  expect(start.instance).toMatch(/^[0-9a-f]{64}$/);
  expect(start.board).toBe(start.observation.replace(' ', '\n'));
  let report;
  do {
    report = await games.step(start.id, await games.expert(start.id));
    expect(report).toMatchObject({ valid: true, feedback: 'hit', reward: 1 });
  } while (!report.over);
  expect(report).toMatchObject({ truncated: 'steps', terminated: false, score: 6, success: true, endReason: 'steps' });
  await expect(games.step(start.id, '1')).rejects.toMatchObject({ code: 'game/over' });
});

test('episodes interleave, and the same seed gives the same episode', async () => {
  const games = host();
  const [a, b] = [await games.reset(spec), await games.reset(spec)];
  expect({ ...b, id: '' }).toEqual({ ...a, id: '' });
  const first = await games.step(a.id, 'no number');
  expect(first).toMatchObject({ valid: false, feedback: 'invalid: not a number', reward: 0, over: false });
  expect(await games.step(b.id, null)).toMatchObject({ feedback: 'invalid: no answer line' });
  expect(await games.cut(a.id)).toMatchObject({ over: true, truncated: 'context', endReason: 'context' });
  expect((await games.actions(b.id))?.length).toBe(2);
});

test('what cannot be played says so with a code', async () => {
  const games = host();
  await expect(games.reset({ ...spec, game: 'none' })).rejects.toMatchObject({ code: 'game/unknown' });
  await expect(games.step('e9', '1')).rejects.toMatchObject({ code: 'game/no-episode' });
  const { id } = await games.reset({ ...spec, game: 'faulty' });
  await expect(games.step(id, 'throw')).rejects.toMatchObject({ code: 'game/threw' });
  expect(await games.step(id, '1')).toMatchObject({ valid: true });
  await games.release(id);
  await expect(games.step(id, '1')).rejects.toMatchObject({ code: 'game/no-episode' });
});
