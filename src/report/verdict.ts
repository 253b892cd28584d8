// From an interval to a word and a sentence: helps, hurts, or can't tell yet and how much more would settle it.
import { decimalsOf, formatCount, formatNumber, formatRange, formatSigned, roundCount } from './format.ts';
import { LEVEL } from './interval.ts';
import { tQuantile } from './student.ts';
import type { ComparisonPoint, Standing, Verdict, VerdictKind } from './types.ts';

/** Fewer run seeds are a demonstration. */
export const CLAIM_SEEDS = 6;
/** More units than this many times the present ones are called out of reach. */
const REACH = 100;

export const standingOf = (runSeeds: number): Standing => (runSeeds >= CLAIM_SEEDS ? 'claim' : 'demonstration');

/** helps: the whole interval is above 0; hurts: below; an interval that touches 0, or none at all: cannot-tell. */
export function verdictKind(point: Pick<ComparisonPoint, 'lo' | 'hi'> | null): VerdictKind {
  if (!point || point.lo === null || point.hi === null) return 'cannot-tell';
  if (point.lo > 0) return 'helps';
  return point.hi < 0 ? 'hurts' : 'cannot-tell';
}

/**
 * Least number of units at which the interval would leave 0 if mean and sd stayed as they are:
 * t(n - 1) · sd / sqrt(n) < |mean|. Null without a spread, at mean 0, or beyond `REACH` times the present units.
 */
export function unitsNeeded(point: Pick<ComparisonPoint, 'mean' | 'sd' | 'units'>): number | null {
  const { mean, sd, units } = point;
  if (sd === null || sd === 0 || mean === 0) return null;
  const enough = (n: number) => (tQuantile(LEVEL, n - 1) * sd) / Math.sqrt(n) < Math.abs(mean);
  let high = units + 1;
  while (!enough(high)) {
    if (high > REACH * units) return null;
    high *= 2;
  }
  let low = units;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high > REACH * units ? null : high;
}

export interface Words {
  /** For people: `Training`. */
  title: string;
  /** `frozen`, or another arm's title. */
  against: string;
  /** Plural: `apples`. */
  unit: string;
  runSeeds: number;
}

export function verdict(point: ComparisonPoint | null, words: Words): Verdict {
  const kind = verdictKind(point);
  const standing = standingOf(words.runSeeds);
  const settled: Pick<Verdict, 'needsMore' | 'needsUnit'> = { needsMore: null, needsUnit: null };
  if (!point) return { kind, ...settled, standing, sentence: `${words.title}: can't tell yet, nothing to compare.` };
  if (kind !== 'cannot-tell') return { kind, ...settled, standing, sentence: found(point, kind, words) };
  const needs = needsOf(point);
  return { kind, ...needs, standing, sentence: open(point, needs, words) };
}

function needsOf(point: ComparisonPoint): Pick<Verdict, 'needsMore' | 'needsUnit'> {
  // More instances don't bring more clusters (Trust has seven opponents).
  const needed = point.unit === 'clusters' ? null : unitsNeeded(point);
  if (needed === null) return { needsMore: null, needsUnit: null };
  return {
    needsMore: roundCount(needed - point.units),
    needsUnit: point.unit === 'runs' ? 'run seeds' : 'boards',
  };
}

function found(point: ComparisonPoint, kind: VerdictKind, { title, against, unit }: Words): string {
  const decimals = decimalsOf(point);
  const preposition = kind === 'helps' ? 'over' : 'against';
  return `${title}: ${formatSigned(point.mean, decimals)} ${unit} ${preposition} ${against} (${formatRange(point, decimals)}).`;
}

function open(point: ComparisonPoint, needs: Pick<Verdict, 'needsMore' | 'needsUnit'>, words: Words): string {
  const { title, against, unit } = words;
  const { lo, hi, mean } = point;
  const decimals = decimalsOf(point);
  const difference = `${formatSigned(mean, decimals)} ${unit}`;
  const counted = point.unit === 'runs' ? 'run seeds' : point.unit === 'clusters' ? 'groups of boards' : 'boards';
  if (lo === null || hi === null) {
    const n = point.units === 1 ? 'one' : String(point.units);
    const name = point.units === 1 ? counted.replace(/s$/, '').replace('groups', 'group') : counted;
    return `${title}: can't tell yet, ${difference} against ${against} on ${n} ${name}.`;
  }
  if (lo === 0 && hi === 0) {
    const n = formatCount(point.units);
    return `${title}: can't tell, no difference from ${against} on any of ${n} ${counted}.`;
  }
  const range = `${formatNumber(lo, decimals)} to ${formatNumber(hi, decimals)}`;
  const more =
    needs.needsMore === null
      ? ''
      : `; about ${formatCount(needs.needsMore)} more ${one(needs.needsUnit!, needs.needsMore)} would`;
  return `${title}: can't tell yet, ${difference} against ${against} (${range}${more}).`;
}

const one = (plural: string, count: number) => (count === 1 ? plural.replace(/s$/, '') : plural);
