import { expect, test } from 'vitest';
import { runConfig } from '../../gym/config.ts';
import { cycle } from '../../gym/cycle.ts';
import { localGameHost } from '../../gym/host.ts';
import { randomPlayer, smallRun, trainablePlayer } from '../../gym/testing.ts';
import type { ArmContext } from '../../gym/plugin.ts';
import type { ExperienceView } from '../../gym/experience.ts';
import type { AdapterSaved, RunEvent } from '../../log/events.ts';
import { answersIn, guardBefore } from './update.ts';

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

test('invalid answers stop training where they have risen, not where they were many from the start', () => {
  const played = (valid: number, invalid: number): ExperienceView => ({
    ...{ index: 0, game: 'g', instance: '' },
    steps: Array.from({ length: valid + invalid }, (_, step) => ({
      ...{ step, valid: step < valid, feedback: '', action: '' },
    })),
  });
  const context = { settings: { guardInvalid: 0.3 } } as unknown as ArmContext;
  const bad = [played(2, 8), played(1, 9)];
  expect(guardBefore(bad, bad, context)).toBeNull();
  expect(guardBefore([played(10, 0)], [played(7, 3)], context)).toBeNull();
  expect(guardBefore([played(10, 0)], [played(3, 2), played(3, 2)], context)).toBe(
    'invalid answers 40.0 %, 0.0 % before training: a rise of more than 30.0 %',
  );
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

test('where reading is dear, whole episodes are read, one sequence each', () => {
  const view = (index: number): ExperienceView => ({
    ...{ index, game: 'g', instance: '' },
    steps: [0, 1, 2].map((step) => ({
      ...{ step, valid: true, feedback: '', action: '' },
      // Each prompt holds the one before and its answer, less the newline (9) that ended it.
      promptIds: [1, ...Array.from({ length: step }, (_, i) => [5 + i, 2]).flat()],
      completionIds: [5 + step, 9],
    })),
  });
  const views = Array.from({ length: 8 }, (_, i) => view(i));
  const all = answersIn(views, 1e6);
  expect([all.sequences.length, all.answers.length]).toEqual([24, 24]);
  const few = answersIn(views, 21);
  expect(few.sequences).toEqual([0, 1].map(() => [1, 5, 2, 6, 2, 7, 9]));
  // The newline of an answer that is followed by another is not in the sequence.
  expect(few.answers.slice(0, 3)).toEqual([
    { sequence: 0, from: 0, to: 1 },
    { sequence: 0, from: 2, to: 3 },
    { sequence: 0, from: 4, to: 6 },
  ]);
  expect(answersIn(views, 0).sequences).toHaveLength(1);
});

test('a model that cannot be trained is refused before the run is opened', async () => {
  const input = { past: [], readBlob: async () => null, report: () => ({ report: null, ledger: null }) };
  const run = cycle({ ...input, config: runConfig(settings), model: randomPlayer(), host: localGameHost() });
  await expect(run.next()).rejects.toMatchObject({ code: 'model/cannot-train' });
});
