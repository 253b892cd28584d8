// The 95 % interval of a mean over instances, clusters or run seeds (protocol.md, Statistics). One function serves
// curves, differences and agreement, so that `s3 aa` measures exactly what verdicts rest on.
import { tQuantile } from './student.ts';
import type { Estimate } from './types.ts';

export const LEVEL = 0.95;
/** From so many run seeds on, the run means are the units. */
export const RUNS_AS_UNITS = 3;
/** Least units whose equal values (no spread at all) count as an interval: a sign test of five gives p = 0.0625. */
export const LEAST_EQUAL_UNITS = 6;

export interface Observation {
  value: number;
  run: number;
  /** What repeats: an instance's id, or Trust's opponent. */
  cluster: string;
}

export interface Spread extends Estimate {
  /** Of the units; null with fewer than two. */
  sd: number | null;
}

/**
 * Mean of the observations and its interval; null when there are none, or one is no number.
 * - three run seeds or more: paired t over run means;
 * - else t over clusters by the delete-one-cluster jackknife: se² = (G-1)/G · sum (m_(-g) - m)², G-1 degrees of
 *   freedom, which is the ordinary t where every cluster has one observation.
 * Degenerate cases: one unit has no interval. Units that are all equal to 0 have the interval [0, 0]; equal to
 * something else, [m, m] from six units on and none below, since a few equal values are no proof of certainty.
 * Source: Bell & McCaffrey 2002 for the jackknife; measured by `s3 aa`.
 */
export function estimate(observations: readonly Observation[]): Spread | null {
  if (observations.length === 0 || observations.some((o) => !Number.isFinite(o.value))) return null;
  const runs = groups(observations, (o) => String(o.run));
  if (runs.length >= RUNS_AS_UNITS) return overMeans(runs, observations.length);
  return overClusters(observations);
}

/** Sums and counts of the independent units, the sign-flip test's too. */
export function groups(observations: readonly Observation[], key: (o: Observation) => string): Group[] {
  const found = new Map<string, Group>();
  for (const o of observations) {
    const name = key(o);
    const group = found.get(name);
    if (group) {
      group.sum += o.value;
      group.count += 1;
    } else found.set(name, { name, sum: o.value, count: 1 });
  }
  // Sorted, so that no sum depends on the order of the log.
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface Group {
  name: string;
  sum: number;
  count: number;
}

function overMeans(runs: Group[], n: number): Spread {
  const means = runs.map((run) => run.sum / run.count);
  const mean = average(means);
  const squares = means.reduce((sum, m) => sum + (m - mean) ** 2, 0);
  const units = runs.length;
  const se = Math.sqrt(squares / (units - 1) / units);
  return { n, units, unit: 'runs', mean, ...around(mean, se, units), sd: se * Math.sqrt(units) };
}

function overClusters(observations: readonly Observation[]): Spread {
  const n = observations.length;
  const clusters = groups(observations, (o) => o.cluster);
  const units = clusters.length;
  const unit = units === n ? 'instances' : 'clusters';
  const total = clusters.reduce((sum, cluster) => sum + cluster.sum, 0);
  const mean = total / n;
  if (units === 1) return { n, units, unit, mean, lo: null, hi: null, sd: null };
  const squares = clusters.reduce((sum, c) => sum + ((total - c.sum) / (n - c.count) - mean) ** 2, 0);
  const se = Math.sqrt((squares * (units - 1)) / units);
  return { n, units, unit, mean, ...around(mean, se, units), sd: se * Math.sqrt(units) };
}

function around(mean: number, se: number, units: number): { lo: number | null; hi: number | null } {
  // Rounding leaves a crumb of spread where there is none.
  const flat = se <= 1e-12 * Math.max(1, Math.abs(mean));
  if (flat && Math.abs(mean) > 1e-12 && units < LEAST_EQUAL_UNITS) return { lo: null, hi: null };
  const half = flat ? 0 : tQuantile(LEVEL, units - 1) * se;
  return { lo: mean - half, hi: mean + half };
}

export const average = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
