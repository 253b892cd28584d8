import { expect, test } from 'vitest';
import { syntheticRun } from '../../../test/synthetic.ts';
import type { EpisodeEvent } from '../../log/events.ts';
import { plugin } from './index.ts';

/** Scores that agree with every reward in the first third, and with none in the last. */
const drifting = syntheticRun(1, { arms: [{ name: 'frozen' }, { name: 'training' }], explore: 9 }).map((event) =>
  event.type === 'episode' && event.phase === 'explore'
    ? {
        ...event,
        steps: event.steps.map((step) => ({
          ...step,
          reward: 1,
          selfScore: event.index < 3 ? 1 : event.index < 6 ? null : -1,
        })),
      }
    : event,
);
const texts = (table: { rows: readonly { text: string }[][] }) => table.rows.map((row) => row.map(({ text }) => text));

test('agreement by thirds of the exploration', () => {
  const [table] = plugin.report!([drifting]);
  const episodes = drifting.filter(
    (event): event is EpisodeEvent => event.type === 'episode' && event.phase === 'explore',
  );
  const steps = episodes.filter(({ index }) => index < 3).reduce((sum, { steps }) => sum + steps.length, 0);
  expect(steps).toBeGreaterThan(0);
  expect(
    table!.rows.map((row) => row.map(({ value }) => value)).map(([, arm, third, n, mean]) => [arm, third, n, mean]),
  ).toEqual([
    ['Training', 'first', steps, 1],
    ['Training', 'second', 0, null],
    ['Training', 'last', steps, 0],
  ]);
});

test('the runs of several logs are thirds of their own; too short ones are left out, and so is a log without any', () => {
  const [twice] = plugin.report!([drifting, drifting.map((event) => ({ ...event, runSeed: 2 }) as typeof event)]);
  const [once] = plugin.report!([drifting]);
  expect(texts(twice!).map((row) => Number(row[3]))).toEqual(texts(once!).map((row) => 2 * Number(row[3])));
  const short = drifting.filter((event) => event.type !== 'episode' || event.phase !== 'explore' || event.index < 5);
  expect(plugin.report!([short])[0]!.rows).toEqual([]);
  expect(plugin.report!([[]])[0]!.rows).toEqual([]);
});
