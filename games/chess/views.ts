// What the agent sees: seven drawn boards (paper) or one row of positions a piece (pocket), and the short line, which
// is computed from either text. The line lists two candidates a piece, so it hands over part of the inference.
import type { ChessConfig } from './config.ts';
import { letterOf } from './config.ts';
import { mirrored, type Cell } from './family.ts';

export function board(config: ChessConfig, shown: readonly (readonly Cell[])[]): string {
  return config.preset === 'pocket' ? positions(shown) : drawn(config, shown);
}

const positions = (shown: readonly (readonly Cell[])[]) =>
  shown.map((path, i) => `${letterOf(i)} ${path.map((cell) => cell.join(',')).join(' ')}`).join('\n');

function drawn(config: ChessConfig, shown: readonly (readonly Cell[])[]): string {
  const boards = Array.from({ length: config.shown }, (_, t) => {
    const rows = Array.from({ length: config.rows }, () => Array<string>(config.cols).fill('.'));
    shown.forEach((path, i) => {
      const [row, col] = path[t]!;
      rows[row]![col] = letterOf(i);
    });
    return [`position ${t + 1} of ${config.shown}`, ...rows.map((row) => row.join(''))].join('\n');
  });
  return boards.join('\n\n');
}

/** The shown path of each piece, read back from a board's text. */
export function readBoard(config: ChessConfig, text: string): Cell[][] {
  if (config.preset === 'pocket') {
    return text.split('\n').map((row) => row.split(' ').slice(1).map(readCell));
  }
  const paths: Cell[][] = Array.from({ length: config.pieces }, () => []);
  for (const part of text.split('\n\n')) {
    part
      .split('\n')
      .slice(1)
      .forEach((row, r) => [...row].forEach((mark, c) => mark !== '.' && paths[mark.charCodeAt(0) - 65]!.push([r, c])));
  }
  return paths;
}

function readCell(text: string): Cell {
  const [row, col] = text.split(',').map(Number);
  return [row!, col!];
}

/** The newest cell plus the displacement taken `ago` steps back (1 = the last one), mirrored at the walls. */
export function again(config: ChessConfig, path: readonly Cell[], ago: number): Cell {
  const [row, col] = path.at(-1)!;
  const [fromRow, fromCol] = path.at(-1 - ago)!;
  const [toRow, toCol] = path.at(-ago)!;
  return [mirrored(row + toRow - fromRow, config.rows), mirrored(col + toCol - fromCol, config.cols)];
}

export function line(config: ChessConfig, text: string): string {
  return readBoard(config, text)
    .map((path, i) => {
      const now = path.at(-1)!.join(',');
      return `${letterOf(i)}:${now} same:${again(config, path, 1).join(',')} two:${again(config, path, 2).join(',')}`;
    })
    .join(' ');
}
