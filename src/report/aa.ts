// A/A: arms that differ in nothing but luck go through the very code that makes verdicts. How often does the interval
// cover 0, and how often is something "found"? Synthetic scores only; no game, no model.
import type { Rng } from '../../games/contract.ts';
import { stream } from '../../games/rng.ts';
import { comparisonPoint, paired } from './compare.ts';
import type { Cell, Play } from './table.ts';
import { verdictKind } from './verdict.ts';

export const AA_SEED = 's3-aa 1';
export const PAIRS = 30;

/** A way that scores may be distributed: `draw` gives one episode's score on an instance of that level. */
export interface Shape {
  name: string;
  says: string;
  runs: number;
  clusters: number | null;
  level(rng: Rng): number;
  draw(level: number, rng: Rng): number;
  /** Coverage of 0 that must be met: [least, most]. */
  bar: readonly [number, number];
}

const normal = (rng: Rng) => Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
const dense = (level: number, rng: Rng) => Math.max(0, Math.round(level + 1.5 * normal(rng)));

export const SHAPES: readonly Shape[] = [
  {
    name: 'dense',
    says: 'counts about 5, as apples or rows of a trained player',
    runs: 1,
    clusters: null,
    level: (rng) => 5 + 1.5 * normal(rng),
    draw: dense,
    bar: [0.935, 0.965],
  },
  {
    name: 'sparse',
    says: 'mostly 0, 1 in a tenth of the episodes, as puzzles seldom solved',
    runs: 1,
    clusters: null,
    // Instances differ: a fifth are solved half of the time, the others never.
    level: (rng) => (rng.next() < 0.2 ? 0.5 : 0),
    draw: (level, rng) => Number(rng.next() < level),
    bar: [0.935, 1],
  },
  {
    name: 'skewed',
    says: 'log-normal, a few episodes many times the median',
    runs: 1,
    clusters: null,
    level: (rng) => 0.5 * normal(rng),
    draw: (level, rng) => Math.round(2 * Math.exp(level + normal(rng))),
    bar: [0.935, 1],
  },
  {
    name: 'clustered',
    says: 'dense, in seven clusters of unequal size with a common effect each, as opponents in Trust',
    runs: 1,
    clusters: 7,
    level: (rng) => 5 + 1.5 * normal(rng),
    draw: dense,
    // The jackknife over seven clusters covers about 0.94.
    bar: [0.925, 1],
  },
  {
    name: 'six seeds',
    says: 'dense, 30 instances in each of six run seeds, whose means are the units',
    runs: 6,
    clusters: null,
    level: (rng) => 5 + 1.5 * normal(rng),
    draw: dense,
    bar: [0.935, 1],
  },
];

export interface AaRow {
  shape: string;
  says: string;
  replicates: number;
  /** Share of intervals that cover 0. */
  coverage: number;
  /** Shares of verdicts that find something. */
  helps: number;
  hurts: number;
  /** Share of p below 0.05; null where there is none. */
  pBelow: number | null;
  bar: readonly [number, number];
  met: boolean;
}

export interface PowerRow {
  shape: string;
  /** True effect, in standard deviations of one episode's score on an instance. */
  effect: number;
  replicates: number;
  /** Share of verdicts that say so. */
  found: number;
}

/** False finds by p may occur in this share at most. */
export const P_BAR = 0.065;

export function aaRow(shape: Shape, replicates: number): AaRow {
  const counts = count(shape, replicates, 0);
  const coverage = 1 - (counts.helps + counts.hurts) / replicates;
  const pBelow = counts.withP === 0 ? null : counts.pBelow / counts.withP;
  const met = coverage >= shape.bar[0] && coverage <= shape.bar[1] && (pBelow ?? 0) <= P_BAR;
  const { helps, hurts } = counts;
  const rates = { coverage, helps: helps / replicates, hurts: hurts / replicates, pBelow };
  return { shape: shape.name, says: shape.says, replicates, ...rates, bar: shape.bar, met };
}

/** How often a true effect is found at 30 pairs; a curve for planning, no bar. */
export function powerRow(shape: Shape, effect: number, replicates: number): PowerRow {
  const counts = count(shape, replicates, effect);
  return { shape: shape.name, effect, replicates, found: counts.helps / replicates };
}

function count(shape: Shape, replicates: number, effect: number) {
  const counts = { helps: 0, hurts: 0, pBelow: 0, withP: 0 };
  for (let replicate = 0; replicate < replicates; replicate++) {
    const rng = stream(AA_SEED, shape.name, effect, replicate);
    const observations = Array.from({ length: shape.runs }, (_, run) => {
      const [a, b] = cells(shape, rng, effect);
      return paired(a, b, run, 1);
    }).flat();
    const point = comparisonPoint(0, observations, null)!;
    const kind = verdictKind(point);
    if (kind !== 'cannot-tell') counts[kind] += 1;
    if (point.p) {
      counts.withP += 1;
      if (point.p.value < 0.05) counts.pBelow += 1;
    }
  }
  return counts;
}

/** Two arms on the same 30 instances, each with its own luck; `effect` times 1.5 is added to the first. */
function cells(shape: Shape, rng: Rng, effect: number): [Cell, Cell] {
  const arms = [new Map<string, Play>(), new Map<string, Play>()] as const;
  // A cluster's common effect differs between the arms, with mean 0: what a policy happens to suit.
  const suits = Array.from({ length: shape.clusters ?? 0 }, () => normal(rng));
  for (let i = 0; i < PAIRS; i++) {
    const level = shape.level(rng);
    const cluster = shape.clusters === null ? i : rng.int(shape.clusters);
    arms.forEach((arm, which) => {
      const lift = which === 0 ? 1.5 * effect + (suits[cluster] ?? 0) : 0;
      arm.set(String(i), play(String(i), String(cluster), shape.draw(level, rng) + lift));
    });
  }
  return [{ plays: new Map([[0, arms[0]]]) }, { plays: new Map([[0, arms[1]]]) }];
}

const play = (key: string, cluster: string, score: number): Play => ({
  key,
  instance: key,
  cluster,
  score,
  success: false,
  steps: 1,
  validSteps: 1,
  refused: [],
  invalidEnd: false,
  tokens: 0,
});
