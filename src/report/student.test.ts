import { expect, test } from 'vitest';
import scipy from '../../test/fixtures/report/scipy.json';
import { tInside, tQuantile } from './student.ts';

test('quantiles agree with scipy.stats.t.ppf to nine digits', () => {
  for (const [level, df, expected] of scipy.t as [number, number, number][]) {
    expect(tQuantile(level, df) / expected, `${level} ${df}`).toBeCloseTo(1, 9);
  }
});

test('known by hand: one degree of freedom is Cauchy, the tails close', () => {
  expect(tInside(1, 1)).toBeCloseTo(0.5, 14);
  expect(tQuantile(0.5, 1)).toBeCloseTo(1, 12);
  expect(tInside(Infinity, 3)).toBe(1);
  expect(tInside(0, 3)).toBe(0);
});

test('refuses what has no meaning', () => {
  expect(() => tInside(1, 0)).toThrow(RangeError);
  expect(() => tInside(1, 1.5)).toThrow(RangeError);
  expect(() => tQuantile(1, 3)).toThrow(RangeError);
});
