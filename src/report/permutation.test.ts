import { describe, expect, test } from 'vitest';
import { stream } from '../../games/rng.ts';
import scipy from '../../test/fixtures/report/scipy.json';
import type { Observation } from './interval.ts';
import { signFlip } from './permutation.ts';

const instances = (values: number[], run = 1): Observation[] =>
  values.map((value, i) => ({ value, run, cluster: `${run} ${i}` }));

describe('signFlip', () => {
  test('is scipy.stats.permutation_test (samples), exact', () => {
    // Ten pairs, one of them equal: 2^9 patterns.
    expect(signFlip(instances(scipy.signflip.d))).toEqual({
      value: scipy.signflip.p,
      method: 'exact',
      draws: 512,
      seed: null,
    });
  });

  test('drawn, agrees with 400,000 resamples of scipy', () => {
    const found = signFlip(instances(scipy.paired.d))!;
    expect(found.method).toBe('drawn');
    expect(Math.abs(found.value - scipy.signflipDrawn)).toBeLessThan(0.015);
    expect(signFlip(instances(scipy.paired.d))).toEqual(found);
  });

  test('needs six clusters; equal differences of six give 2 / 64', () => {
    expect(signFlip(instances([1, 1, 1, 1, 1]))).toBeNull();
    expect(signFlip(instances([1, 1, 1, 1, 1, 1]))!.value).toBe(2 / 64);
    expect(signFlip(instances([0, 0, 0, 0, 0, 0]))!.value).toBe(1);
    expect(signFlip(instances([1, 1, 1, 1, 1, Number.NaN]))).toBeNull();
  });

  test('flips clusters whole, and run means from three runs on', () => {
    const clustered = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1].map((value, i) => ({ value, run: 1, cluster: `${i % 6}` }));
    expect(signFlip(clustered)!.draws).toBe(64);
    const runs = [1, 2, 3, 4, 5, 6].flatMap((run) => instances([1, 0, 1], run));
    expect(signFlip(runs)).toMatchObject({ value: 2 / 64, draws: 64 });
    expect(signFlip(runs.filter((o) => o.run < 6))).toBeNull();
  });

  test('p is uniform when there is no effect', () => {
    const rng = stream('p uniform');
    const ps = Array.from(
      { length: 400 },
      () => signFlip(instances(Array.from({ length: 12 }, () => rng.next() - 0.5)))!.value,
    );
    for (const level of [0.05, 0.25, 0.5, 0.75]) {
      const share = ps.filter((p) => p <= level).length / ps.length;
      // Four standard errors.
      expect(Math.abs(share - level)).toBeLessThan(4 * Math.sqrt((level * (1 - level)) / ps.length));
    }
  });
});
