// The report of one or more run logs, as plain JSON: what the page draws and `run.closed.report` stores. No times, no
// machine facts; numbers rounded to 12 significant digits (tidy.ts), so that equal logs give equal bytes anywhere.
import type { Preset, Split } from '../../games/contract.ts';
import type { Bottleneck, CouplingReport, JudgingRow, LedgerRow, TransferTable } from './types-more.ts';

export type * from './types-more.ts';

/** An arm as the log names it: `training`, `history-shuffled`, `training@oracle-judge`. */
export type ArmName = string;

export interface Report {
  format: 1;
  /** Run seeds that were found, ascending. Fewer than six are a demonstration (protocol.md, Statistics). */
  runSeeds: number[];
  standing: Standing;
  logs: number;
  /** Every arm of every seed and game has its last checkpoint. */
  complete: boolean;
  preset: Preset;
  /** SHA-256 of the model, as logged. */
  model: string;
  method: Method;
  games: GameReport[];
  /** Self-judging against the verifier, a row per game, arm, phase and source of the score. */
  judging: JudgingRow[];
  coupling: CouplingReport;
  /** Trained on one game, strict on each; null where no log started from an adapter. */
  transfer: TransferTable | null;
  ledger: LedgerRow[];
  /** What a reader must know: plain sentences. */
  notes: string[];
}

export type Standing = 'demonstration' | 'claim';

export interface Method {
  /** Confidence level of every interval, 0.95. */
  level: number;
  interval: string;
  permutation: { statement: string; draws: number; exactUpTo: number; seed: string; leastClusters: number };
  pairing: string;
}

/** An estimate with its interval. lo and hi are null where no interval can be had (one unit, no spread). */
export interface Estimate {
  mean: number;
  lo: number | null;
  hi: number | null;
  /** Units averaged: instances. */
  n: number;
  /** Independent units the interval rests on: instances, clusters, or run seeds. */
  units: number;
  unit: 'instances' | 'clusters' | 'runs';
}

export interface GameReport {
  game: string;
  title: string;
  /** What the score counts, plural: `apples`. */
  scoreUnit: string;
  preset: Preset;
  splits: SplitReport[];
  overlap: Overlap;
  /** The link whose oracle recovers most held-out score; null without oracle arms. */
  bottleneck: Bottleneck | null;
}

export interface Overlap {
  exploration: number;
  strict: number;
  /** Instances that occur in both; must be 0. */
  shared: number;
  /** Too few instances for roles by hash (Trust): shared may exceed 0, and intervals are clustered. */
  exempt: boolean;
}

export interface SplitReport {
  split: Split;
  /** Distinct held-out instances over all run seeds. */
  instances: number;
  /** Published bounds of the score, or null for a game this build does not know. */
  scoreBounds: [number, number] | null;
  /** eps of NABA. */
  scoreStep: number;
  baselines: Baselines | null;
  /** Exploration episodes at each checkpoint, ascending; the chart's ticks. */
  xs: number[];
  arms: ArmReport[];
  comparisons: Comparison[];
}

/** Random and expert play at the same configuration (games/baselines.json). Scores, standard errors, episodes. */
export interface Baselines {
  random: number;
  randomSe: number;
  expert: number;
  expertSe: number;
  n: number;
  /** Score of doing nothing, where a game publishes it (PvZ). */
  nothing?: number;
}

export interface ArmReport {
  arm: ArmName;
  /** The pathway without oracle suffix or control's suffix: which colour it has. */
  family: string;
  /** For people: `Training`, `History, shuffled`. */
  title: string;
  label: 'hidden-reward' | 'oracle-fed';
  /** `dev-selected` and the like. */
  note: string | null;
  control: boolean;
  runSeeds: number[];
  /** Ascending in x; x = 0 first. Frozen is evaluated once and repeated over xs. */
  points: CurvePoint[];
  metrics: Metrics;
  /** The same per run seed. */
  runs: { runSeed: number; metrics: Metrics }[];
}

export interface CurvePoint {
  /** Exploration episodes so far. */
  x: number;
  /** Mean strict score; null where the checkpoint failed (lines join its neighbours). */
  mean: number | null;
  lo: number | null;
  hi: number | null;
  /** Instances. */
  n: number;
  units: number;
  unit: Estimate['unit'];
  /** (mean - R) / (E - R); not clipped; null without baselines. */
  normalised: number | null;
  success: number | null;
  wellFormed: number | null;
  validity: number | null;
  invalidEnds: number | null;
  /** Tokens that the model wrote an episode. */
  tokens: number | null;
  failed?: string;
  /** Evaluated once for all arms (x = 0), or once for all x (frozen). */
  shared?: true;
}

/** Protocol.md, Metrics. All over the mean curve, failed checkpoints left out. Null where undefined. */
export interface Metrics {
  avg: number | null;
  max: number | null;
  first: number | null;
  last: number | null;
  /** y_K - y_0. */
  finalChange: number | null;
  /** Score times episodes. */
  aucPlus: number | null;
  /** AUC+ / max(y_0, eps); no claim rests on it. */
  naba: number | null;
  /** Normalised avg, and normalised last. */
  normalisedAvg: number | null;
  normalisedLast: number | null;
  /** Shares over all strict episodes of the arm's checkpoints. */
  success: number | null;
  /** Share of strict steps whose action has the game's form, legal or not; null where the game is unknown. */
  wellFormed: number | null;
  /** Share of strict steps that were valid. */
  validity: number | null;
  /** Share of strict episodes ended by an invalid answer. */
  invalidEnds: number | null;
  /** Tokens that the model wrote a strict episode, mean. */
  tokens: number | null;
  episodes: number;
}

export type VerdictKind = 'helps' | 'hurts' | 'cannot-tell';

export interface Comparison {
  arm: ArmName;
  against: ArmName;
  /** `frozen`: did it help at all; `control`: why; `oracle`: what a true link recovers; `pathway`: summary - history. */
  role: 'frozen' | 'control' | 'oracle' | 'pathway' | 'replicate';
  /** Role `replicate`: which decode replicate of frozen stands against its replicate 0. */
  replicate?: number;
  /** Differences at each x that both have, ascending; the last one is the primary. */
  points: ComparisonPoint[];
  /** The point at the last x; null when there is no pair. */
  final: ComparisonPoint | null;
  verdict: Verdict;
}

export interface ComparisonPoint extends Estimate {
  x: number;
  /** Standard deviation of the differences over the units. */
  sd: number | null;
  p: Permutation | null;
  normalised: number | null;
}

/** Two-sided paired sign-flip permutation p. */
export interface Permutation {
  value: number;
  method: 'exact' | 'drawn';
  /** Sign patterns looked at: 2^m (exact), or B. */
  draws: number;
  seed: string | null;
}

export interface Verdict {
  kind: VerdictKind;
  /** More units after which the interval would leave 0 if mean and sd stayed; null: none needed, or none in reach. */
  needsMore: number | null;
  needsUnit: 'boards' | 'run seeds' | null;
  standing: Standing;
  /** “Training: +1.4 apples over frozen (95 % 0.8 to 2.1).” */
  sentence: string;
}
