// The stored R and E agree with a fresh sample, and every configuration has them.
import { describe, expect, it } from 'vitest';
import {
  baselineScore,
  findBaseline,
  keyOf,
  meanAndError,
  policyOf,
  type BaselinePolicy,
  type Baselines,
} from './baselines.ts';
import stored from './baselines.json';
import { casesOf } from './check/context.ts';
import { games } from './registry.ts';

const all: Baselines = stored;

/** Episodes of the sample; fewer where one takes long. */
const SAMPLE: Readonly<Record<string, number>> = {
  'chess-v1': 60,
  'nullify-v1': 60,
  'minesweeper-v1': 100,
  'tetris-v1/paper': 40,
  'pvz-v1': 100,
};

describe.each([...games.values()].map((game) => [game.id, game] as const))('%s', (id, game) => {
  it.each(casesOf(game).map((which) => [which.label, which] as const))(
    '%s',
    (_, which) => {
      const baseline = findBaseline(all, game, which);
      expect(baseline, keyOf(game, which)).not.toBeNull();
      if (all[keyOf(game, which)] !== baseline) return; // the default's, tested there
      const { random, randomSe, expert, expertSe, n, nothing } = baseline!;
      expect(n).toBeGreaterThanOrEqual(2000);
      expect(expert).toBeGreaterThan(random);
      const count = SAMPLE[`${id}/${which.preset}`] ?? SAMPLE[id] ?? 200;
      const agrees = (policy: BaselinePolicy, mean: number, se: number) => {
        const scores = Array.from({ length: count }, (_, i) => baselineScore(game, which, policy, 'sample', i));
        const tolerance = 4 * Math.sqrt(se ** 2 + (se ** 2 * n) / count) + 1e-9;
        expect(Math.abs(meanAndError(scores).mean - mean), `${policy} ${mean}`).toBeLessThan(tolerance);
      };
      agrees('random', random, randomSe);
      agrees('expert', expert, expertSe);
      if (nothing !== undefined) expect(baselineScore(game, which, 'nothing', 'sample', 0)).toBe(nothing);
      expect(nothing === undefined).toBe(policyOf(game, 'nothing') === undefined);
    },
    60_000,
  );
});

it('is sorted, so that it comes out the same', () => {
  const keys = Object.keys(all);
  expect(keys).toEqual([...keys].sort());
});
