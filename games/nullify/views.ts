// What the agent sees: the units with their indices, and a short line that lists every possible merge with its result,
// computed from the board's text. The line does the arithmetic of one merge; planning is left to the agent.
import type { NullifyConfig } from './config.ts';
import { legal, merge, readUnit, type Unit } from './units.ts';

const NOTHING = 'nothing left';

export const board = (units: readonly string[]) =>
  units.length === 0 ? NOTHING : units.map((text, i) => `${i}: ${text}`).join('\n');

export const readBoard = (text: string): string[] =>
  text === NOTHING ? [] : text.split('\n').map((row) => row.slice(row.indexOf(' ') + 1));

export function line(_config: NullifyConfig, text: string): string {
  const units = readBoard(text).map(readUnit);
  if (units.length === 0) return NOTHING;
  const options = legal(units).map(({ i, j }) => `${i} ${j} = ${result(units, i, j)}`);
  return `units ${units.map((unit) => short(unit.text)).join(' ')} merge ${options.join(', ') || 'none'}`;
}

function result(units: readonly Unit[], i: number, j: number): string {
  const made = merge(units[i]!, units[j]!);
  if (made === 'gone' || 'reason' in made) return 'gone';
  return made.unit.text === '0' && units.length === 2 ? 'gone' : short(made.unit.text);
}

/** Beyond three digits a number is only `big`: it keeps the vocabulary small, and no solution passes through it often. */
const short = (text: string) => (/\d{4}/.test(text) ? 'big' : text);
