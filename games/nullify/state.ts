// The state of an episode: the units as text, and the progress that the score counts. Nothing is hidden.
import type { Outcome } from '../contract.ts';
import { matchAction } from '../grammar.ts';
import type { NullifyConfig } from './config.ts';
import { EXACT_UNITS, solvable } from './solver.ts';
import { legal, merged, readUnit } from './units.ts';

export type NullifyState = {
  units: string[];
  /** Units at the start. */
  given: number;
  /** Merges so far that left the position solvable; numbers that cancel before the end save a merge and count twice. */
  kept: number;
};

const number = '(?:0|[1-9]\\d?)';
export const grammar = `(?<first>${number}) (?<second>${number})`;

/** Numbers, but not two of them. */
const counted = new RegExp(`^(?!${number} ${number}$)${number}(?: ${number})*$`);

export function step(config: NullifyConfig, state: NullifyState, action: string): Outcome<NullifyState> {
  const refuse = (reason: string) => ({ valid: false, reason }) as const;
  const match = matchAction(grammar, action);
  if (!match) return refuse(counted.test(action) ? 'wrong count, two units are needed' : 'not of the form i j');
  const i = Number(match.groups!.first);
  const j = Number(match.groups!.second);
  if (i >= state.units.length || j >= state.units.length) return refuse(`no unit ${Math.max(i, j)}`);
  if (i === j) return refuse('the same unit twice');

  const units = merged(state.units.map(readUnit), i, j);
  if (typeof units === 'string') return refuse(units);
  const next: NullifyState = { ...state, units: units.map(({ text }) => text) };
  if (config.partial && units.length < EXACT_UNITS && solvable(units)) {
    next.kept += units.length === 0 ? 1 : state.units.length - units.length;
  }
  return { valid: true, state: next, feedback: '', terminated: legal(units).length === 0 };
}

export function score(config: NullifyConfig, state: NullifyState): number {
  if (state.units.length === 0) return 1;
  return config.partial ? state.kept / (state.given - 1) : 0;
}
