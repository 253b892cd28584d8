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
  const tables = tablesOf(values);
  let extreme = 0;
  for (let pattern = 0; pattern < 2 ** values.length; pattern++) {
    if (Math.abs(flipped(tables, 0, pattern)) >= bar) extreme++;
  }
  return extreme;
}

/** The stream depends on the number of units only: one and the same set of patterns for every comparison of a size. */
function drawnExtreme(values: number[], bar: number): number {
  const rng = stream(SEED, values.length);
  const tables = tablesOf(values);
  let extreme = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (let from = 0; from < tables.length; from += 4) sum += flipped(tables, from, rng.int(4294967296));
    if (Math.abs(sum) >= bar) extreme++;
  }
  return extreme;
}

/** For each eight values their sum under all 256 sign patterns: a draw is one look-up for eight units. */
function tablesOf(values: number[]): Float64Array[] {
  const tables: Float64Array[] = [];
  for (let from = 0; from < values.length; from += 8) {
    const eight = values.slice(from, from + 8);
    tables.push(
      Float64Array.from({ length: 256 }, (_, pattern) =>
        eight.reduce((sum, value, i) => sum + ((pattern >> i) & 1 ? -value : value), 0),
      ),
    );
  }
  return tables;
}

/** Sum of up to four tables from `from` on, eight bits of the pattern each. */
function flipped(tables: Float64Array[], from: number, pattern: number): number {
  const end = Math.min(tables.length, from + 4);
  let sum = 0;
  for (let i = from; i < end; i++) sum += tables[i]![(pattern >>> (8 * (i - from))) & 255]!;
  return sum;
}
