// Builds a position backwards from nothing, one merge at a time, so a solution exists; then rejects what random play
// wins too often and what holds fewer than two operators.
import type { Rng } from '../contract.ts';
import { MAX_RANDOM_WIN, PLAYOUTS, type NullifyConfig } from './config.ts';
import { add, negated, rational, root, times, type Rational } from './rational.ts';
import { randomWinsMoreThan } from './solver.ts';
import { numberUnit, readUnit, type Unit } from './units.ts';

/** The merges of one solution stay hidden; they prove that there is one. */
export type NullifyInstance = { units: string[]; solution: [i: number, j: number][] };

export function generate(config: NullifyConfig, rng: Rng): NullifyInstance {
  for (;;) {
    const drawn = candidate(config, rng);
    if (!drawn || !accepted(drawn.units, rng)) continue;
    return { units: drawn.units.map(({ text }) => text), solution: drawn.solution };
  }
}

export function accepted(units: readonly Unit[], rng: Rng): boolean {
  if (units.filter(({ kind }) => kind !== 'number').length < 2) return false;
  return !randomWinsMoreThan(MAX_RANDOM_WIN, PLAYOUTS, units, rng);
}

/** A solvable position before rejection; null where the draw left the generator's limits. */
export function candidate(config: NullifyConfig, rng: Rng): { units: Unit[]; solution: [number, number][] } | null {
  const steps = config.minSteps + rng.int(config.maxSteps - config.minSteps + 1);
  let units = last(config, rng);
  const parents: { parts: Unit[]; made: Unit | null }[] = [{ parts: units, made: null }];
  for (let step = 1; step < steps; step++) {
    const made = rng.pick(units.filter(({ kind }) => kind === 'number'));
    const parts = made.kind === 'number' ? undo(config, made.value, rng) : null;
    if (!parts || !parts.every((part) => inLimits(config, part))) return null;
    units = [...units.filter((unit) => unit !== made), ...parts];
    parents.unshift({ parts, made });
  }
  if (units.filter(({ text }) => text === 'square').length > config.maxSquares) return null;
  units = rng.shuffle(units);

  let at = units;
  const solution = parents.map(({ parts, made }): [number, number] => {
    const [i, j] = parts.map((part) => at.indexOf(part)).sort((a, b) => a - b);
    at = [...at.filter((unit) => !parts.includes(unit)), ...(made ? [made] : [])];
    return [i!, j!];
  });
  return { units, solution };
}

/** Two units that merge to nothing: numbers that cancel, or a fraction that is rounded to zero. */
function last(config: NullifyConfig, rng: Rng): Unit[] {
  if (rng.int(4) > 0) {
    const value = someNumber(config, rng);
    return [numberUnit(value), numberUnit(negated(value))];
  }
  const value = part(config, rng);
  return rng.int(2) === 0 ? [numberUnit(value), readUnit('floor')] : [numberUnit(negated(value)), readUnit('ceil')];
}

/** Two units that merge to `value`. */
function undo(config: NullifyConfig, value: Rational, rng: Rng): Unit[] | null {
  const whole = value.d === 1n;
  const factor = 2 + rng.int(3);
  const number = (x: Rational, operator: string) => [numberUnit(x), readUnit(operator)];
  const ways: (() => Unit[] | null)[] = [
    () => sum(value, someNumber(config, rng)),
    () => sum(value, someNumber(config, rng)),
    () => number(times(value, rational(1, factor)), `*${factor}`),
    () => number(times(value, rational(factor)), `/${factor}`),
    () => (value.n === 0n ? null : number(rational(value.d, value.n), 'reciprocal')),
    () => (value.n < 0n ? null : number(times(value, value), 'sqrt')),
    () => {
      const exact = root(value);
      return exact && number(rng.int(2) === 0 ? exact : negated(exact), 'square');
    },
    () => (whole ? number(add(value, part(config, rng)), 'floor') : null),
    () => (whole ? number(add(value, negated(part(config, rng))), 'ceil') : null),
  ];
  return rng.pick(ways)();
}

function sum(value: Rational, a: Rational): Unit[] | null {
  const b = add(value, negated(a));
  return b.n === 0n ? null : [numberUnit(a), numberUnit(b)];
}

/** A fraction between 0 and 1. */
function part({ maxDenominator }: NullifyConfig, rng: Rng): Rational {
  const d = 2 + rng.int(maxDenominator - 1);
  return rational(1 + rng.int(d - 1), d);
}

/** A number that is not zero, whole three times out of four. */
function someNumber(config: NullifyConfig, rng: Rng): Rational {
  const n = (1 + rng.int(9)) * (rng.int(2) === 0 ? 1 : -1);
  const x = rational(n);
  return rng.int(4) === 0 ? add(x, part(config, rng)) : x;
}

function inLimits(config: NullifyConfig, unit: Unit): boolean {
  if (unit.kind !== 'number') return true;
  const { n, d } = unit.value;
  const size = n < 0n ? -n : n;
  return size > 0n && size <= config.maxNumerator && d <= config.maxDenominator;
}
