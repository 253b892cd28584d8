// Ways to play. The expert searches the visible units; the others look one merge ahead, or not at all.
import type { Rng } from '../contract.ts';
import type { NullifyConfig } from './config.ts';
import { firstMerge } from './solver.ts';
import type { NullifyState } from './state.ts';
import { legal, readUnit, type Unit } from './units.ts';

type Policy = (config: NullifyConfig, state: NullifyState, rng: Rng) => string;
type Option = { i: number; j: number; next: Unit[] };

const read = (state: NullifyState) => state.units.map(readUnit);
const write = ({ i, j }: { i: number; j: number }) => `${i} ${j}`;

export const actions = (state: NullifyState) => legal(read(state)).map(write);
export const random: Policy = (_config, state, rng) => rng.pick(actions(state));

/** A merge on the way to a solution; random where the bounded search finds none (solver.ts states the bound). */
export const expert: Policy = (config, state, rng) => {
  const found = firstMerge(read(state));
  return found ? write(found) : random(config, state, rng);
};

/** The options with the lowest cost, one of them at random. */
const cheapest =
  (cost: (option: Option, units: Unit[]) => number): Policy =>
  (_config, state, rng) => {
    const units = read(state);
    const options = legal(units);
    const costs = options.map((option) => cost(option, units));
    const least = Math.min(...costs);
    return write(rng.pick(options.filter((_, k) => costs[k] === least)));
  };

/** Digits of the number that a merge makes; nothing made is the least. */
function size({ next }: Option, units: Unit[]): number {
  const made = next.at(-1);
  if (next.length < units.length - 1 || made?.kind !== 'number') return 0;
  const { n, d } = made.value;
  return Number(n < 0n ? -n : n) + 2 * Number(d);
}
const sums = ({ i, j }: Option, units: Unit[]) => units[i]!.kind === 'number' && units[j]!.kind === 'number';
const vanishes = ({ next }: Option, units: Unit[]) => next.length < units.length - 1;

/** Whether two of the numbers that are left cancel. */
function cancels({ next }: Option): boolean {
  const numbers = next.flatMap((unit) => (unit.kind === 'number' ? [unit.text] : []));
  return (
    next.length === 0 || numbers.some((text) => numbers.includes(text.startsWith('-') ? text.slice(1) : `-${text}`))
  );
}

/** Up to here `endgame` plays like the expert. */
const ENDGAME_UNITS = 4;

export const strategies: Readonly<Record<string, Policy>> = {
  random,
  first: (_config, state) => actions(state)[0]!,
  small: cheapest(size),
  large: cheapest((option, units) => -size(option, units)),
  sumsFirst: cheapest((option, units) => (sums(option, units) ? 0 : 1)),
  operatorsFirst: cheapest((option, units) => (sums(option, units) ? 1 : 0)),
  gone: cheapest((option, units) => (vanishes(option, units) ? 0 : 1)),
  cancel: cheapest((option, units) => (cancels(option) ? 0 : vanishes(option, units) ? 2 : 1)),
  endgame: (config, state, rng) => (state.units.length > ENDGAME_UNITS ? random : expert)(config, state, rng),
  expertHalf: (config, state, rng) => (rng.next() < 0.6 ? expert(config, state, rng) : random(config, state, rng)),
  expert,
};

export const tips: Readonly<Record<string, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  first: 'retain: the first merge avoid: nothing next: the first merge again',
  small: 'retain: the merge with the low number avoid: big next: go low',
  large: 'retain: the merge with the high number avoid: low numbers next: go high',
  sumsFirst: 'retain: add numbers avoid: operators next: operators at the end',
  operatorsFirst: 'retain: use operators avoid: add numbers next: add numbers at the end',
  gone: 'retain: gone when listed avoid: nothing next: else choose any move',
  cancel: 'retain: make equal numbers of other sign avoid: gone at first next: else choose any move',
  endgame: 'retain: use operators then gone at the end avoid: nothing next: choose any move at first',
  expertHalf: 'retain: make equal numbers avoid: nothing next: often choose any move',
  expert: 'retain: make equal numbers of other sign avoid: gone when operators are left next: use operators then gone',
};
