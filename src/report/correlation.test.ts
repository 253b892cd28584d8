import { expect, test } from 'vitest';
import scipy from '../../test/fixtures/report/scipy.json';
import { correlate, ranks, thirdsGap, type Pair } from './correlation.ts';

const pairs = scipy.corr.x.map((x, i): Pair => [x, scipy.corr.y[i]!]);

test('agree with scipy, ties included', () => {
  const found = correlate(pairs);
  expect(found.pearson).toBeCloseTo(scipy.corr.pearson, 12);
  expect(found.spearman).toBeCloseTo(scipy.corr.spearman, 12);
});

test('ties share their rank', () => expect(ranks([3, 1, 3, 2])).toEqual([3.5, 1, 3.5, 2]));

test('the gap of thirds by hand', () => {
  // Sorted x: .1 .2 .3 | … | .7 .8 .9: (0.2 + 0.2 + 0.3)/3 - (0 - 0.5 - 0.1)/3
  expect(thirdsGap(pairs)).toBeCloseTo((0.7 + 0.6) / 3, 12);
  // A tie at the border is shared: best third is one of the two with x = 1.
  expect(
    thirdsGap([
      [0, 0],
      [1, 4],
      [1, 2],
    ]),
  ).toBe(3);
  expect(
    thirdsGap([
      [0, 0],
      [1, 1],
    ]),
  ).toBeNull();
});

test('no correlation without variation or with two pairs', () => {
  expect(
    correlate([
      [1, 2],
      [1, 3],
      [1, 4],
    ]),
  ).toMatchObject({ pearson: null, spearman: null });
  expect(
    correlate([
      [1, 2],
      [2, 3],
    ]),
  ).toMatchObject({ pearson: null, gap: null });
});
