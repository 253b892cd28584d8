// Self-scores against the verifier's rewards (protocol.md, Metrics: self-judging). Knows pairs (s, r) and their episode.
import { estimate } from './interval.ts';
import type { JudgingRow } from './types.ts';

/** One step: the score s it was given (null: unparsed), its reward r, and its episode. */
export interface Judged {
  s: number | null;
  r: number;
  episode: string;
}

export type JudgingNumbers = Omit<JudgingRow, 'game' | 'arm' | 'phase' | 'source'>;

/** `bounds`: the game's published bounds of one step's reward; null: no published NMAE. */
export function judge(steps: readonly Judged[], bounds: readonly [number, number] | null): JudgingNumbers {
  const parsed = steps.filter((step): step is Judged & { s: number } => step.s !== null);
  const n = parsed.length;
  const scores = parsed.map((step) => step.s);
  const share = (of: (step: Judged & { s: number }) => boolean) => (n === 0 ? null : parsed.filter(of).length / n);
  const distinct = new Set(scores).size;
  const agreement = estimate(
    parsed.map(({ s, r, episode }) => ({ value: Number(s > 0 === r > 0), run: 0, cluster: episode })),
  );
  if (agreement) delete (agreement as { sd?: unknown }).sd;
  return {
    n,
    unparsed: steps.length - n,
    agreement,
    nmae: nmae(parsed, bounds),
    nmaeObserved: nmae(parsed, n === 0 ? null : rangeOf(parsed.map((step) => step.r))),
    over: share(({ s, r }) => s > 0 && r <= 0),
    under: share(({ s, r }) => s <= 0 && r > 0),
    distinct,
    sd: n < 2 ? null : deviation(scores),
    constant: n > 1 && distinct === 1,
    positive: share(({ s }) => s > 0),
    cells: cellsOf(parsed),
  };
}

/**
 * Mean |n(s) - n(r)| with n(v) = (clip(v) - low) / (high - low); null without steps, bounds or range. Rewards leave the
 * bounds only by Trust's penalty for unplayed rounds, and are clipped like the scores.
 */
export function nmae(steps: readonly { s: number; r: number }[], bounds: readonly [number, number] | null) {
  if (!bounds || steps.length === 0 || !(bounds[1] > bounds[0])) return null;
  const [low, high] = bounds;
  const clip = (value: number) => Math.min(high, Math.max(low, value));
  const total = steps.reduce((sum, { s, r }) => sum + Math.abs(clip(s) - clip(r)), 0);
  return total / (high - low) / steps.length;
}

const MOST_VALUES = 13;
const BINS = 11;

/** Counts by (s, r): the values themselves where each has at most 13, else the centres of 11 equal bins. */
function cellsOf(steps: readonly { s: number; r: number }[]): JudgingRow['cells'] {
  if (steps.length === 0) return [];
  const expected = binner(steps.map((step) => step.s));
  const got = binner(steps.map((step) => step.r));
  const counts = new Map<string, JudgingRow['cells'][number]>();
  for (const { s, r } of steps) {
    const cell = { expected: expected(s), got: got(r), n: 1 };
    const key = `${cell.expected} ${cell.got}`;
    const found = counts.get(key);
    if (found) found.n += 1;
    else counts.set(key, cell);
  }
  return [...counts.values()].sort((a, b) => a.expected - b.expected || a.got - b.got);
}

function binner(values: readonly number[]): (value: number) => number {
  if (new Set(values).size <= MOST_VALUES) return (value) => value;
  const [low, high] = rangeOf(values);
  const width = (high - low) / BINS;
  return (value) => low + (Math.min(BINS - 1, Math.floor((value - low) / width)) + 0.5) * width;
}

function rangeOf(values: readonly number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** Sample standard deviation (n - 1). */
function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (values.length - 1));
}
