import { expect, test } from 'vitest';
import { rangeOf, ticksOf } from './scale.ts';

const ticks = (values: number[]) => ticksOf(values, rangeOf(values), 0.12);

test('small points fill the range, and no two labels touch', () => {
  // Chess: fifteenths.
  const chess = [0, 1 / 15, 2 / 15];
  expect(rangeOf(chess).high).toBeCloseTo((2 / 15) * 1.14, 9);
  expect(ticks(chess)).toEqual(chess);
  expect(ticks([0, 0.01, 0.02, 1])).toEqual([0, 1]);
  expect(ticks([-1, 0, 2, 3])).toEqual([-1, 0, 2, 3]);
});

test('0 is always there; nothing at all spans 0 to 1', () => {
  expect(ticks([2, 3])).toEqual([0, 2, 3]);
  const ends = (values: number[]) => Object.values(rangeOf(values)).map((end) => Number(end.toFixed(9)));
  expect(ends([0, 0])).toEqual([-0.14, 1.14]);
  expect(ends([-3, -1])).toEqual([-3.56, 1.56]);
});
