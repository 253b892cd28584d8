import { expect, test } from 'vitest';
import type { ComparisonPoint } from './types.ts';
import { unitsNeeded, verdict } from './verdict.ts';

const words = { title: 'Training', against: 'frozen', unit: 'apples', runSeeds: 1 };
const point = (over: Partial<ComparisonPoint>): ComparisonPoint => ({
  x: 12,
  mean: 1.4,
  lo: 0.8,
  hi: 2.1,
  n: 30,
  units: 30,
  unit: 'instances',
  sd: 1.7,
  p: null,
  normalised: null,
  ...over,
});

test('sentences', () => {
  expect(verdict(point({}), words)).toMatchObject({
    kind: 'helps',
    needsMore: null,
    standing: 'demonstration',
    sentence: 'Training: +1.4 apples over frozen (95 % 0.8 to 2.1).',
  });
  expect(verdict(point({ mean: -1.4, lo: -2.1, hi: -0.8 }), words)).toMatchObject({
    kind: 'hurts',
    sentence: 'Training: −1.4 apples against frozen (95 % −2.1 to −0.8).',
  });
  expect(verdict(point({ mean: 0.4, lo: -0.2, hi: 1, sd: 1.6 }), { ...words, runSeeds: 6 })).toEqual({
    kind: 'cannot-tell',
    needsMore: 34,
    needsUnit: 'boards',
    standing: 'claim',
    sentence: "Training: can't tell yet, +0.4 apples against frozen (−0.2 to 1.0; about 34 more boards would).",
  });
});

test('degenerate cases say what is known', () => {
  expect(verdict(null, words).sentence).toBe("Training: can't tell yet, nothing to compare.");
  expect(verdict(point({ lo: null, hi: null, sd: null, units: 1 }), words).sentence).toBe(
    "Training: can't tell yet, +1.4 apples against frozen on one board.",
  );
  expect(verdict(point({ mean: 0, lo: 0, hi: 0, sd: 0 }), words).sentence).toBe(
    "Training: can't tell, no difference from frozen on any of 30 boards.",
  );
  // Touching 0 is no find.
  expect(verdict(point({ lo: 0 }), words).kind).toBe('cannot-tell');
  // Clusters cannot be had by more boards.
  expect(verdict(point({ mean: 0.4, lo: -0.2, unit: 'clusters', units: 7 }), words).needsMore).toBeNull();
});

test('units needed: the least n whose half-width is below the mean', () => {
  // t(63) 1.998 * 1.6 / 8 = 0.3997 < 0.4; t(62) 1.999 * 1.6 / sqrt(63) = 0.4030.
  expect(unitsNeeded({ mean: 0.4, sd: 1.6, units: 30 })).toBe(64);
  expect(unitsNeeded({ mean: 0.001, sd: 1.6, units: 30 })).toBeNull();
  expect(unitsNeeded({ mean: 0, sd: 1, units: 30 })).toBeNull();
  expect(unitsNeeded({ mean: 1, sd: 0, units: 30 })).toBeNull();
});
