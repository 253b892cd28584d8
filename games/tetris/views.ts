// Tetris' two views. The board is drawn with a panel for the block to place; the line is read off the board's text.
import type { TetrisConfig } from './config.ts';
import { drop, profile, type Field } from './field.ts';
import { actionOf, distinctPlacements, PATTERNS } from './pieces.ts';
import { current, type TetrisState } from './state.ts';

export function board(config: TetrisConfig, state: TetrisState): string {
  const rows = state.field.map((row) =>
    Array.from({ length: config.width }, (_, column) => (row & (1 << column) ? '*' : '.')).join(''),
  );
  const piece = current(state);
  return [...rows, 'Next Block', ...(piece ? PATTERNS[piece].split('/') : ['none'])].join('\n');
}

/** `piece L3 heights 2 2 0 1 holes 0 clear 3 90`, from the board's text alone. */
export function line(config: TetrisConfig, text: string): string {
  const [above, below] = text.split('\nNext Block\n') as [string, string];
  const pattern = below.split('\n').join('/');
  const piece = config.pieces.find((name) => PATTERNS[name] === pattern);
  const field: Field = above
    .split('\n')
    .map((row) => [...row].reduce((mask, cell, column) => mask | (cell === '*' ? 1 << column : 0), 0));
  const { heights, holes } = profile(field, config.width);
  const placements = piece ? distinctPlacements(piece, config.width) : [];
  const clearing = placements.filter(({ shape, column }) => drop(field, config.width, shape, column)?.cleared);
  const clear = clearing.map(actionOf).join(' ') || 'none';
  return `piece ${piece ?? 'none'} heights ${heights.join(' ')} holes ${holes} clear ${clear}`;
}

export const legend = {
  board: '*.#\nNext Blocknone',
  line: 'piecheightsoldarIOTSZJL none0123456789 mf',
};
