import { expect, test } from 'vitest';
import { runConfig } from '../../gym/config.ts';
import { cycle } from '../../gym/cycle.ts';
import { localGameHost } from '../../gym/host.ts';
import { randomPlayer, smallRun, trainablePlayer } from '../../gym/testing.ts';
import type { AdapterSaved, RunEvent } from '../../log/events.ts';

const settings = {
  games: ['trust-v1'],
  split: ['strict'],
  pathways: ['frozen', 'training'],
  explore: 8,
  every: 2,
  strict: 1,
  frozenReplicates: 1,
  trainSteps: 1,
  trainWindow: 'all',
  guardInvalid: 1,
};
const saved = (events: RunEvent[]) => events.filter((event): event is AdapterSaved => event.type === 'adapter.saved');

test('a refused update is dropped and training goes on; three in a row stop it', async () => {
  const updates = saved(await smallRun(settings, [], { model: trainablePlayer(3).model }));
  expect(updates.map(({ refused, steps }) => [refused ?? 0, steps])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [0, 0],
  ]);
  expect(new Set(updates.map(({ hash }) => hash)).size).toBe(1);
  expect(updates[0]!.guard).toBe('KL 3.000 nats a token, above 2: update refused');
  expect(updates[2]!.guard).toMatch(/3 in a row: training stops$/);
  expect(updates[3]!.guard).toBe(updates[2]!.guard);
});

test('divergence is measured on the answers since the last update only', async () => {
  const { model, scored } = trainablePlayer();
  const events = await smallRun(settings, [], { model });
  expect(saved(events).every(({ guard }) => guard === null)).toBe(true);
  const blocks = [0, 0, 0, 0];
  for (const event of events) {
    if (event.type === 'episode' && event.phase === 'explore')
      blocks[Math.floor(event.index / 2)]! += event.steps.length;
  }
  const most = blocks.map((steps) => Math.ceil(steps / Math.ceil(steps / 64)));
  // Once under the old adapter, once under the new one.
  expect(scored).toEqual(most.flatMap((count) => [count, count]));
});

test('a model that cannot be trained is refused before the run is opened', async () => {
  const input = { past: [], readBlob: async () => null, report: () => ({ report: null, ledger: null }) };
  const run = cycle({ ...input, config: runConfig(settings), model: randomPlayer(), host: localGameHost() });
  await expect(run.next()).rejects.toMatchObject({ code: 'model/cannot-train' });
});
