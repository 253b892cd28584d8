// The grammar of a prediction, `A:4,4 B:0,2`, and its reading. Refuses, with one reason; repairs nothing.
import { matchAction } from '../grammar.ts';
import { letterOf, type ChessConfig } from './config.ts';
import type { Cell } from './family.ts';

const number = '(?:0|[1-9]\\d?)';
const cell = `(?:${number}, ?${number}|\\(${number}, ?${number}\\)|\\[${number}, ?${number}\\])`;
const item = `[A-Z]: ?${cell}`;
export const grammar = `${item}(?:(?: |, ?)${item})*`;

/** Predicted cells by piece, a missing one left out; or the reason of the refusal. */
export function parse(config: ChessConfig, action: string): Map<number, Cell> | string {
  if (!matchAction(grammar, action)) return 'not of the form A:row,col B:row,col';
  const cells = new Map<number, Cell>();
  for (const [, letter, row, col] of action.matchAll(/([a-z]): ?[([]?(\d+), ?(\d+)/gi)) {
    const name = letter!.toUpperCase();
    const piece = name.charCodeAt(0) - 65;
    if (piece >= config.pieces) return `no piece ${name}`;
    if (cells.has(piece)) return `piece ${name} named twice`;
    if (Number(row) >= config.rows || Number(col) >= config.cols) return `piece ${name} out of range`;
    cells.set(piece, [Number(row), Number(col)]);
  }
  return cells;
}

/** The action that names these cells; null leaves a piece out. */
export const write = (cells: readonly (Cell | null)[]) =>
  cells.flatMap((at, i) => (at ? [`${letterOf(i)}:${at.join(',')}`] : [])).join(' ');
