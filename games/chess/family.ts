// The published family of movement rules: one or two displacements taken in turn, mirrored at the walls. Knows which
// rules fit a path; does not know which one a piece has.
import type { ChessConfig } from './config.ts';

export type Cell = [row: number, col: number];
type Board = Pick<ChessConfig, 'rows' | 'cols'>;

const displacements: readonly Cell[] = [-2, -1, 0, 1, 2]
  .flatMap((row) => [-2, -1, 0, 1, 2].map((col): Cell => [row, col]))
  .filter(([row, col]) => row !== 0 || col !== 0);

const single = displacements.map((beat) => [beat]);
const double = displacements.flatMap((a) => displacements.filter((b) => b !== a).map((b) => [a, b]));

/** Every rule of the family, by period: 24 of one beat, 552 of two different ones. */
export const rulesByPeriod: readonly (readonly Cell[][])[] = [single, double];
const family = [...single, ...double];

/** A position beyond a wall, mirrored back. */
export const mirrored = (at: number, size: number) => (at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at);

/** `count` cells from `start` on. A wall flips its axis's sign for both beats. */
export function walk(board: Board, start: Cell, rule: readonly Cell[], count: number): Cell[] {
  const cells: Cell[] = [start];
  let [row, col] = start;
  let signRow = 1;
  let signCol = 1;
  for (let t = 0; cells.length < count; t++) {
    const beat = rule[t % rule.length]!;
    const nextRow = row + signRow * beat[0];
    const nextCol = col + signCol * beat[1];
    row = mirrored(nextRow, board.rows);
    col = mirrored(nextCol, board.cols);
    if (row !== nextRow) signRow = -signRow;
    if (col !== nextCol) signCol = -signCol;
    cells.push([row, col]);
  }
  return cells;
}

const same = (a: Cell, b: Cell) => a[0] === b[0] && a[1] === b[1];

/** The simplest rule of the family that makes the whole path, as text: `1,-2` or `1,-2 then 0,1`. */
export function ruleOf(board: Board, path: readonly Cell[]): string {
  const fits = (rule: readonly Cell[]) =>
    walk(board, path[0]!, rule, path.length).every((cell, i) => same(cell, path[i]!));
  return family.find(fits)?.map(String).join(' then ') ?? 'unknown';
}

/** The next `ahead` cells by each rule that fits the whole path; different continuations only. */
export function continuations(board: Board, path: readonly Cell[], ahead: number): Cell[][] {
  const found = new Map<string, Cell[]>();
  for (const rule of family) {
    // Most rules miss the third cell, and walking on would be wasted.
    if (!walk(board, path[0]!, rule, Math.min(3, path.length)).every((cell, i) => same(cell, path[i]!))) continue;
    const cells = walk(board, path[0]!, rule, path.length + ahead);
    if (!path.every((cell, i) => same(cell, cells[i]!))) continue;
    const next = cells.slice(path.length);
    found.set(next.join(' '), next);
  }
  return [...found.values()];
}
