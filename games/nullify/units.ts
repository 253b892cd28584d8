// Units, numbers or operators, and what two of them merge to. Knows nothing of scores or solvability.
import { add, ceil, floor, format, isZero, parse, rational, root, times, tooLarge, type Rational } from './rational.ts';

const words = ['sqrt', 'square', 'reciprocal', 'floor', 'ceil'] as const;
type Word = (typeof words)[number];

export type Unit =
  | { readonly kind: 'number'; readonly text: string; readonly value: Rational }
  | { readonly kind: 'scale'; readonly text: string; readonly by: Rational }
  | { readonly kind: 'word'; readonly text: string; readonly word: Word };

export const numberUnit = (value: Rational): Unit => ({ kind: 'number', text: format(value), value });

export function readUnit(text: string): Unit {
  const word = words.find((name) => name === text);
  if (word) return { kind: 'word', text, word };
  if (text[0] === '*') return { kind: 'scale', text, by: rational(BigInt(text.slice(1))) };
  if (text[0] === '/') return { kind: 'scale', text, by: rational(1n, BigInt(text.slice(1))) };
  return numberUnit(parse(text));
}

/** The new unit; `gone` where a sum is exactly zero; or why not. */
export type Merge = { unit: Unit } | 'gone' | { reason: string };

export function merge(a: Unit, b: Unit): Merge {
  if (a.kind === 'number' && b.kind === 'number') {
    const sum = add(a.value, b.value);
    return isZero(sum) ? 'gone' : checked(sum);
  }
  if (a.kind !== 'number' && b.kind !== 'number') return { reason: 'two operators' };
  if (a.kind === 'number') return apply(b, a.value);
  return b.kind === 'number' ? apply(a, b.value) : { reason: 'two operators' };
}

function apply(operator: Unit, x: Rational): Merge {
  if (operator.kind === 'number') return { reason: 'no operator' };
  if (operator.kind === 'scale') return checked(times(x, operator.by));
  switch (operator.word) {
    case 'sqrt': {
      if (x.n < 0n) return { reason: 'root of a negative number' };
      const exact = root(x);
      return exact ? checked(exact) : { reason: 'no exact root' };
    }
    case 'square':
      return checked(times(x, x));
    case 'reciprocal':
      return isZero(x) ? { reason: 'division by zero' } : checked(rational(x.d, x.n));
    case 'floor':
      return checked(floor(x));
    case 'ceil':
      return checked(ceil(x));
    default:
      return operator.word satisfies never;
  }
}

const checked = (value: Rational): Merge =>
  tooLarge(value) ? { reason: 'the number gets too large' } : { unit: numberUnit(value) };

/** The units after merging i and j, the new one at the end; or why not. A lone zero goes as well. */
export function merged(units: readonly Unit[], i: number, j: number): Unit[] | string {
  const result = merge(units[i]!, units[j]!);
  const rest = units.filter((_, k) => k !== i && k !== j);
  if (result === 'gone') return rest;
  if ('reason' in result) return result.reason;
  if (rest.length === 0 && result.unit.kind === 'number' && isZero(result.unit.value)) return [];
  return [...rest, result.unit];
}

/** Every legal merge, i < j, in a fixed order. */
export function legal(units: readonly Unit[]): { i: number; j: number; next: Unit[] }[] {
  const found: { i: number; j: number; next: Unit[] }[] = [];
  for (let i = 0; i < units.length; i++) {
    for (let j = i + 1; j < units.length; j++) {
      const next = merged(units, i, j);
      if (typeof next !== 'string') found.push({ i, j, next });
    }
  }
  return found;
}
