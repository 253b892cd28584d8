import { describe, expect, test } from 'vitest';
import scipy from '../../test/fixtures/report/scipy.json';
import { estimate, type Observation } from './interval.ts';

const instances = (values: number[], run = 1): Observation[] =>
  values.map((value, i) => ({ value, run, cluster: `${run} ${i}` }));

describe('estimate', () => {
  test('is the paired t of scipy where each cluster has one observation', () => {
    const { d, mean, lo, hi, sd } = scipy.paired;
    const found = estimate(instances(d))!;
    expect(found).toMatchObject({ n: 30, units: 30, unit: 'instances' });
    expect(found.mean).toBeCloseTo(mean, 12);
    expect(found.lo).toBeCloseTo(lo, 9);
    expect(found.hi).toBeCloseTo(hi, 9);
    expect(found.sd).toBeCloseTo(sd, 12);
  });

  test('is the delete-one-cluster jackknife where clusters repeat', () => {
    const { c, lo, hi } = scipy.cluster;
    const found = estimate(scipy.paired.d.map((value, i) => ({ value, run: 1, cluster: `c${c[i]}` })))!;
    expect(found).toMatchObject({ n: 30, units: 7, unit: 'clusters' });
    expect(found.lo).toBeCloseTo(lo, 9);
    expect(found.hi).toBeCloseTo(hi, 9);
  });

  test('takes run means as units from three runs on', () => {
    const two = [...instances([1, 2, 3], 1), ...instances([2, 3, 4], 2)];
    expect(estimate(two)).toMatchObject({ units: 6, unit: 'instances' });
    // Means 2, 3, 7: mean 4, sd sqrt(7), half-width 4.302653 * sqrt(7 / 3).
    const found = estimate([...two, ...instances([7, 7, 7], 3)])!;
    expect(found).toMatchObject({ n: 9, units: 3, unit: 'runs', mean: 4 });
    expect(found.hi! - 4).toBeCloseTo(4.302653 * Math.sqrt(7 / 3), 5);
  });

  test('degenerate cases', () => {
    expect(estimate([])).toBeNull();
    expect(estimate(instances([1, Number.NaN]))).toBeNull();
    expect(estimate(instances([5]))).toMatchObject({ mean: 5, lo: null, hi: null, sd: null, units: 1 });
    expect(estimate(instances([0, 0, 0]))).toMatchObject({ mean: 0, lo: 0, hi: 0, sd: 0 });
    expect(estimate(instances([2, 2, 2, 2, 2]))).toMatchObject({ mean: 2, lo: null, hi: null });
    expect(estimate(instances([2, 2, 2, 2, 2, 2]))).toMatchObject({ mean: 2, lo: 2, hi: 2 });
    // 0.1 + 0.2 is not 0.3: a crumb of rounding is no spread.
    expect(estimate(instances([0.1 + 0.2, 0.3, 0.3, 0.3]))).toMatchObject({ lo: null, hi: null });
    // All in one cluster: one unit, no interval.
    expect(estimate([1, 2, 3].map((value) => ({ value, run: 1, cluster: 'one' })))).toMatchObject({
      units: 1,
      lo: null,
    });
  });

  test('does not depend on order', () => {
    const all = scipy.paired.d.map((value, i) => ({ value, run: i % 2, cluster: `c${i % 9}` }));
    const found = estimate(all)!;
    const reversed = estimate([...all].reverse())!;
    expect(reversed.lo).toBeCloseTo(found.lo!, 12);
    expect(reversed.units).toBe(found.units);
  });
});
