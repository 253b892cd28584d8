import { describe, expect, test } from 'vitest';
import { stream } from '../../games/rng.ts';
import truth from '../../test/fixtures/report/auc-plus.json';
import { aucPlus, curveMetrics, normalised, normalisedDelta, type Point } from './metrics.ts';

const zip = (xs: number[], ys: number[]) => xs.map((x, i): Point => [x, ys[i]!]);

describe('AUC+', () => {
  test('is exact where the ground truth says so', () => {
    for (const { x, y, exact } of truth.auc_plus) expect(aucPlus(zip(x, y))).toBeCloseTo(exact, 12);
  });

  test('by hand: a dip between two gains, and a fall through the base', () => {
    // 0->2 over 3: 3. 2->-2 over 3: triangle of height 2, width 1.5: 1.5. -2->0: 0.
    expect(aucPlus(zip([0, 3, 6, 9], [5, 7, 3, 5]))).toBeCloseTo(4.5, 12);
    expect(aucPlus(zip([0, 3, 6], [5, 4, 3]))).toBe(0);
    expect(aucPlus([])).toBe(0);
    expect(aucPlus([[0, 3]])).toBe(0);
  });

  test('invariances: shift of y, scale of x and y, a point put on the line, never below 0', () => {
    const rng = stream('auc');
    for (let trial = 0; trial < 200; trial++) {
      const xs = [0, 3, 6, 9, 12];
      const ys = xs.map(() => rng.int(7) - 3);
      const area = aucPlus(zip(xs, ys));
      expect(area).toBeGreaterThanOrEqual(0);
      expect(
        aucPlus(
          zip(
            xs,
            ys.map((y) => y + 11),
          ),
        ),
      ).toBeCloseTo(area, 9);
      expect(
        aucPlus(
          zip(
            xs.map((x) => 2 * x),
            ys.map((y) => 3 * y),
          ),
        ),
      ).toBeCloseTo(6 * area, 9);
      const at = rng.int(4);
      const t = rng.next();
      const x = xs[at]! + t * 3;
      const y = ys[at]! + t * (ys[at + 1]! - ys[at]!);
      const refined = zip([...xs, x], [...ys, y]).sort((a, b) => a[0] - b[0]);
      expect(aucPlus(refined)).toBeCloseTo(area, 9);
    }
  });

  test('equals the integral taken in small steps', () => {
    const ys = [1, -1, 2.5, 0, 1.2];
    let sum = 0;
    const steps = 120_000;
    for (let i = 0; i < steps; i++) {
      const x = ((i + 0.5) / steps) * 12;
      const k = Math.floor(x / 3);
      sum += Math.max(0, ys[k]! + ((x - 3 * k) / 3) * (ys[k + 1]! - ys[k]!) - ys[0]!);
    }
    expect(aucPlus(zip([0, 3, 6, 9, 12], ys))).toBeCloseTo((sum * 12) / steps, 6);
  });
});

test('curve metrics by hand', () => {
  expect(curveMetrics(zip([0, 3, 6], [1, 0, 2]), 0.5)).toEqual({
    avg: 1,
    max: 2,
    first: 1,
    last: 2,
    finalChange: 1,
    aucPlus: 0.75,
    naba: 0.75,
  });
  expect(curveMetrics(zip([0, 3], [0, 1]), 0.25).naba).toBe(6);
  expect(curveMetrics([], 1)).toMatchObject({ avg: null, aucPlus: null, naba: null });
});

test('normalised score is not clipped, and null without a usable baseline', () => {
  const baselines = { random: 2, randomSe: 0, expert: 7, expertSe: 0, n: 1 };
  expect(normalised(12, baselines)).toBe(2);
  expect(normalised(0, baselines)).toBe(-0.4);
  expect(normalisedDelta(-5, baselines)).toBe(-1);
  expect(normalised(3, null)).toBeNull();
  expect(normalised(null, baselines)).toBeNull();
  expect(normalised(3, { ...baselines, expert: 2 })).toBeNull();
});
