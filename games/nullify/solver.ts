// Can a position be solved? Exhaustive and exact for small ones; for larger ones random descents to a small one, and so
// a bounded search that may miss a solution. Knows the visible units only.
import type { Rng } from '../contract.ts';
import { stream } from '../rng.ts';
import { legal, merged, type Unit } from './units.ts';

/** Up to this many units the search is exhaustive; seven units would cost it some seconds. */
export const EXACT_UNITS = 6;
/** A descent ends in an exhaustive search of this size. */
const DESCENT_UNITS = 5;
/** The bound of the search beyond EXACT_UNITS. */
export const DESCENTS = 3000;

export type Solved = Map<string, boolean>;
const keyOf = (units: readonly Unit[]) => units.map(({ text }) => text).sort().join(' '); // prettier-ignore

/** Exact; the memo may be shared between calls. */
export function solvable(units: readonly Unit[], memo: Solved = new Map()): boolean {
  if (units.length === 0) return true;
  if (units.length === 1 || units.every(({ kind }) => kind !== 'number')) return false;
  const key = keyOf(units);
  const known = memo.get(key);
  if (known !== undefined) return known;
  const tried = new Set<string>();
  let found = false;
  for (let i = 0; i < units.length && !found; i++) {
    for (let j = i + 1; j < units.length && !found; j++) {
      const pair = [units[i]!.text, units[j]!.text].sort().join(' ');
      if (tried.has(pair)) continue;
      tried.add(pair);
      const next = merged(units, i, j);
      found = typeof next !== 'string' && solvable(next, memo);
    }
  }
  memo.set(key, found);
  return found;
}

/** A first merge of a solution, or null if none was found. */
export function firstMerge(units: readonly Unit[]): { i: number; j: number } | null {
  const memo: Solved = new Map();
  const options = legal(units);
  if (units.length <= EXACT_UNITS) return options.find(({ next }) => solvable(next, memo)) ?? null;
  // Seeded by the position itself: the same position is always answered alike.
  const rng = stream(keyOf(units), 'nullify descent');
  for (let n = 0; n < DESCENTS && options.length > 0; n++) {
    const first = rng.pick(options);
    let at: Unit[] | null = first.next;
    while (at && at.length > DESCENT_UNITS) at = shorter(randomMerge(at, rng), randomMerge(at, rng));
    if (at && solvable(at, memo)) return first;
  }
  return null;
}

/** Of two positions the one with fewer digits: it halves the descents that are needed. */
function shorter(a: Unit[] | null, b: Unit[] | null): Unit[] | null {
  return a && b && keyOf(a).length > keyOf(b).length ? b : a;
}

/** The position after a uniformly drawn legal merge, or null if there is none. */
export function randomMerge(units: readonly Unit[], rng: Rng): Unit[] | null {
  // Drawing pairs until one is legal is uniform over the legal ones, and mostly cheaper than listing them.
  for (let tries = 0; tries < 8; tries++) {
    const i = rng.int(units.length);
    const j = rng.int(units.length);
    if (i === j) continue;
    const next = merged(units, Math.min(i, j), Math.max(i, j));
    if (typeof next !== 'string') return next;
  }
  const options = legal(units);
  return options.length > 0 ? rng.pick(options).next : null;
}

/** Whether random play wins more than `limit` of `playouts`; stops as soon as that is certain. */
export function randomWinsMoreThan(limit: number, playouts: number, units: readonly Unit[], rng: Rng): boolean {
  let wins = 0;
  for (let n = 0; n < playouts; n++) {
    let at: Unit[] | null = [...units];
    while (at && at.length > 1) at = randomMerge(at, rng);
    if (at?.length === 0) wins++;
    if (wins > limit * playouts) return true;
  }
  return false;
}
