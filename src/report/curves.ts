// One arm's curve: points with intervals, metrics, rates. Knows the table, no other arm.
import type { Split } from '../../games/contract.ts';
import { matchAction } from '../../games/grammar.ts';
import { average, estimate, type Observation } from './interval.ts';
import { curveMetrics, normalised, type Point } from './metrics.ts';
import type { Cell, Play, Table } from './table.ts';
import type { ArmName, ArmReport, Baselines, CurvePoint, Metrics } from './types.ts';

export interface Place {
  table: Table;
  game: string;
  split: Split;
  /** Decode replicates that every learned arm has; frozen's further ones serve as its own A/A. */
  replicates: number;
  baselines: Baselines | null;
  scoreStep: number;
  /** Of a whole action; null: the game is unknown. */
  grammar: string | null;
}

/** How many replicates the arms have that learn something; all that there are where none does. */
export function replicatesOf(table: Table, game: string, split: Split): number {
  let most = 0;
  for (const arm of table.arms(game).filter((name) => !table.roster.isConstant(name))) {
    for (const runSeed of table.seeds(game, arm)) {
      for (const x of table.xs(game, split)) {
        const found = table.cell({ game, split, arm, runSeed, x });
        if (found && !found.shared) most = Math.max(most, found.cell.plays.size);
      }
    }
  }
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}

/** A cell's plays, replicates joined by instance. */
export function playsOf(cell: Cell, replicates: number): Map<string, Play[]> {
  const joined = new Map<string, Play[]>();
  for (const [replicate, plays] of cell.plays) {
    if (replicate >= replicates) continue;
    for (const [key, play] of plays) {
      const list = joined.get(key);
      if (list) list.push(play);
      else joined.set(key, [play]);
    }
  }
  return joined;
}

/** Points, metrics and rates of an arm over its run seeds (`seeds`: some of them). */
export function armCurve(place: Place, arm: ArmName, seeds: readonly number[]) {
  const { table, game, split, replicates } = place;
  const points: CurvePoint[] = [];
  const counted: Play[] = [];
  for (const x of table.xs(game, split)) {
    const observations: Observation[] = [];
    const plays: Play[] = [];
    let shared = false;
    let failed: string | undefined;
    let found = 0;
    for (const runSeed of seeds) {
      const served = table.cell({ game, split, arm, runSeed, x });
      if (!served) continue;
      found += 1;
      shared = shared || served.shared;
      if (served.cell.failed !== undefined) {
        failed = served.cell.failed;
        continue;
      }
      for (const list of playsOf(served.cell, replicates).values()) {
        observations.push({ value: average(list.map((p) => p.score)), run: runSeed, cluster: list[0]!.cluster });
        plays.push(...list);
      }
    }
    if (found === 0) continue;
    // A constant arm's repeats are no further episodes.
    if (!(shared && x !== 0)) counted.push(...plays);
    points.push({ x, ...pointOf(observations, plays, place), ...(failed === undefined ? {} : { failed }) });
    if (shared) points.at(-1)!.shared = true;
  }
  return { points, metrics: metricsOf(points, counted, place) };
}

function pointOf(observations: Observation[], plays: Play[], { baselines, grammar }: Place): Omit<CurvePoint, 'x'> {
  const found = estimate(observations);
  const { mean, lo, hi, n, units, unit } = found ?? {
    mean: null,
    lo: null,
    hi: null,
    n: 0,
    units: 0,
    unit: 'instances' as const,
  };
  return { mean, lo, hi, n, units, unit, normalised: normalised(mean, baselines), ...ratesOf(plays, grammar) };
}

function ratesOf(plays: readonly Play[], grammar: string | null) {
  if (plays.length === 0) return { success: null, wellFormed: null, validity: null, invalidEnds: null, tokens: null };
  const steps = sum(plays, (p) => p.steps);
  return {
    success: sum(plays, (p) => Number(p.success)) / plays.length,
    wellFormed: steps > 0 && grammar !== null ? 1 - sum(plays, (p) => malformed(p, grammar)) / steps : null,
    validity: steps > 0 ? sum(plays, (p) => p.validSteps) / steps : null,
    invalidEnds: sum(plays, (p) => Number(p.invalidEnd)) / plays.length,
    tokens: sum(plays, (p) => p.tokens) / plays.length,
  };
}

/** Steps without an action, or with one that the game's grammar refuses. */
const malformed = ({ refused }: Play, grammar: string) =>
  refused.filter((action) => action === null || !matchAction(grammar, action)).length;

const sum = (plays: readonly Play[], of: (play: Play) => number) => plays.reduce((total, play) => total + of(play), 0);

function metricsOf(points: readonly CurvePoint[], plays: readonly Play[], place: Place): Metrics {
  const line = points.filter((p) => p.mean !== null).map((p): Point => [p.x, p.mean!]);
  const metrics = curveMetrics(line, place.scoreStep);
  return {
    ...metrics,
    normalisedAvg: normalised(metrics.avg, place.baselines),
    normalisedLast: normalised(metrics.last, place.baselines),
    ...ratesOf(plays, place.grammar),
    episodes: plays.length,
  };
}

/** The arm's part of the report, but for what its declaration says. */
export function armNumbers(place: Place, arm: ArmName): Pick<ArmReport, 'runSeeds' | 'points' | 'metrics' | 'runs'> {
  const runSeeds = place.table.seeds(place.game, arm);
  const runs = runSeeds.map((runSeed) => ({ runSeed, metrics: armCurve(place, arm, [runSeed]).metrics }));
  return { runSeeds, ...armCurve(place, arm, runSeeds), runs };
}
