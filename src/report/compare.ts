// Differences between two arms, paired by instance and decode replicate. Knows the table and the interval; words are
// verdict.ts's.
//
// Pairing: an arm's replicate r stands against the other's replicate r, frozen's replicate 0 where there is one. Frozen's
// further replicates would lower the variance (sd 1.68 for 2.12 in dense scores), but a mean of four is less skewed than
// a single score, the difference is no longer symmetric, and at 30 pairs the interval covers 0.933 (sparse) and 0.924
// (skewed) instead of 0.959 and 0.966; with 7 % of false finds on one side. Equal numbers keep the A/A exact.
import { average, estimate, type Observation } from './interval.ts';
import { type Place } from './curves.ts';
import { normalisedDelta } from './metrics.ts';
import { signFlip } from './permutation.ts';
import type { Cell, Play } from './table.ts';
import type { ArmName, Baselines, ComparisonPoint } from './types.ts';

/** Differences a - b of two cells of one run seed, an observation per instance, averaged over common replicates. */
export function paired(a: Cell, b: Cell, run: number, replicates: number, shift = 0): Observation[] {
  const differences = new Map<string, { play: Play; values: number[] }>();
  for (const [replicate, plays] of a.plays) {
    const others = b.plays.get(replicate + shift);
    if (replicate >= replicates || !others) continue;
    for (const [key, play] of plays) {
      const other = others.get(key);
      if (!other) continue;
      const entry = differences.get(key) ?? { play, values: [] };
      entry.values.push(play.score - other.score);
      differences.set(key, entry);
    }
  }
  return [...differences.values()].map(({ play, values }) => ({ value: average(values), run, cluster: play.cluster }));
}

/** Estimate, spread and p of differences at one x; null when there is no pair. */
export function comparisonPoint(
  x: number,
  observations: readonly Observation[],
  baselines: Baselines | null,
): ComparisonPoint | null {
  const found = estimate(observations);
  if (!found) return null;
  return { x, ...found, p: signFlip(observations), normalised: normalisedDelta(found.mean, baselines) };
}

/** Differences at every x where both arms have plays; x = 0 only where the two do not share it. */
export function comparisonPoints(place: Place, arm: ArmName, against: ArmName): ComparisonPoint[] {
  const { table, game, split, replicates, baselines } = place;
  const points: ComparisonPoint[] = [];
  const seeds = table.seeds(game, arm);
  const own = table
    .xs(game, split)
    .filter((x) => x === 0 || !(table.roster.isConstant(arm) && table.roster.isConstant(against)));
  for (const x of own) {
    const observations: Observation[] = [];
    for (const runSeed of seeds) {
      const a = table.cell({ game, split, arm, runSeed, x });
      const b = table.cell({ game, split, arm: against, runSeed, x });
      if (!a || !b || a.cell === b.cell || a.cell.failed !== undefined || b.cell.failed !== undefined) continue;
      observations.push(...paired(a.cell, b.cell, runSeed, replicates));
    }
    const point = comparisonPoint(x, observations, baselines);
    if (point) points.push(point);
  }
  return points;
}

/** Frozen against itself: replicate r against replicate 0, for r = 1, 2, …; must detect nothing. */
export function replicatePoints(place: Place, arm: ArmName): ComparisonPoint[] {
  const { table, game, split, baselines } = place;
  const found: ComparisonPoint[] = [];
  for (let shift = 1; ; shift++) {
    const observations = table.seeds(game, arm).flatMap((runSeed) => {
      const served = table.cell({ game, split, arm, runSeed, x: 0 });
      if (!served || served.cell.failed !== undefined) return [];
      return paired(served.cell, served.cell, runSeed, 1, shift).map((o) => ({ ...o, value: -o.value }));
    });
    const point = comparisonPoint(0, observations, baselines);
    if (!point) return found;
    found.push(point);
  }
}
