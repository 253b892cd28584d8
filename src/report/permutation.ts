// The paired sign-flip permutation test: under no effect each unit's difference could as well have the other sign.
// Knows only differences; every draw comes from a named stream.
import { stream } from '../../games/rng.ts';
import { type Group, groups, type Observation, RUNS_AS_UNITS } from './interval.ts';
import type { Permutation } from './types.ts';

export const LEAST_CLUSTERS = 6;
/** B of the drawn variant; the observed pattern counts as one more. */
export const DRAWS = 9999;
/** Up to so many units that differ, all 2^m patterns are looked at. */
export const EXACT_UP_TO = 16;
export const SEED = 's3-report sign-flip 1';

/**
 * Two-sided p of the mean difference; null with fewer than six units. Units are flipped whole: run seeds where there
 * are three or more (their means), else clusters (their sums). Units without a difference change nothing and are left
 * out of the patterns. Exact p = patterns at least as extreme / 2^m; drawn p = (1 + extreme) / (1 + B).
 */
export function signFlip(observations: readonly Observation[]): Permutation | null {
  if (observations.some((o) => !Number.isFinite(o.value))) return null;
  const runs = groups(observations, (o) => String(o.run));
  const byRun = runs.length >= RUNS_AS_UNITS;
  const units = byRun ? runs : groups(observations, (o) => o.cluster);
  if (units.length < LEAST_CLUSTERS) return null;
  const weight = (unit: Group) => (byRun ? unit.sum / unit.count : unit.sum);
  const values = units.map(weight).filter((value) => value !== 0);
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  // Patterns that tie with the observed one count as extreme, whatever the last bits say.
  const bar = observed - 1e-9 * values.reduce((sum, value) => sum + Math.abs(value), 0);
  if (values.length <= EXACT_UP_TO) {
    const draws = 2 ** values.length;
    return { value: exactExtreme(values, bar) / draws, method: 'exact', draws, seed: null };
  }
  const extreme = drawnExtreme(values, bar);
  return { value: (1 + extreme) / (1 + DRAWS), method: 'drawn', draws: DRAWS, seed: SEED };
}

function exactExtreme(values: number[], bar: number): number {
  let extreme = 0;
  for (let pattern = 0; pattern < 2 ** values.length; pattern++) {
    if (Math.abs(flipped(values, pattern)) >= bar) extreme++;
  }
  return extreme;
}

/** The stream depends on the number of units only: one and the same set of patterns for every comparison of a size. */
function drawnExtreme(values: number[], bar: number): number {
  const rng = stream(SEED, values.length);
  let extreme = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (let from = 0; from < values.length; from += 32) {
      sum += flipped(values, rng.int(4294967296), from);
    }
    if (Math.abs(sum) >= bar) extreme++;
  }
  return extreme;
}

/** Sum of up to 32 values from `from` on, the sign of each a bit of the pattern. */
function flipped(values: number[], pattern: number, from = 0): number {
  const end = Math.min(values.length, from + 32);
  let sum = 0;
  for (let i = from; i < end; i++) sum += (pattern >>> (i - from)) & 1 ? -values[i]! : values[i]!;
  return sum;
}
