// The best possible play by exhaustive search over what can still be shown: for the last layouts of a game, and for whole
// tiny fields in tests. Knows layouts only as candidates; grows far too fast for a real board from the start.
import { isCovered, open, type Size } from './field.ts';

function layoutsOf(cells: number, mines: number): Set<number>[] {
  const found: Set<number>[] = [];
  const choose = (from: number, chosen: number[]) => {
    if (chosen.length === mines) found.push(new Set(chosen));
    else for (let cell = from; cell < cells; cell++) choose(cell + 1, [...chosen, cell]);
  };
  choose(0, []);
  return found;
}

/**
 * The cell to open and the layouts that the best play wins, of those that agree with what is shown. `memo` is keyed by
 * what is shown, so it is good for one number of mines.
 */
export function bestPlay(
  size: Size,
  shown: string,
  agree: readonly ReadonlySet<number>[],
  memo: Map<string, { cell: number; wins: number }>,
  keyOf: (shown: string) => string = (text) => text,
): { cell: number; wins: number } {
  const covered = [...shown].flatMap((mark, cell) => (isCovered(mark) ? [cell] : []));
  const won = agree.filter((layout) => covered.every((cell) => layout.has(cell))).length;
  if (won === agree.length) return { cell: -1, wins: won };
  const key = keyOf(shown);
  const known = memo.get(key);
  if (known) return known;
  const safe = covered.find((cell) => agree.every((layout) => !layout.has(cell)));
  let best = { cell: covered[0]!, wins: -1 };
  // A safe cell costs nothing, so it is always among the best moves.
  for (const cell of safe === undefined ? covered : [safe]) {
    const outcomes = new Map<string, ReadonlySet<number>[]>();
    let alive = 0;
    for (const layout of agree) {
      if (layout.has(cell)) continue;
      alive++;
      const next = open(size, layout, shown, cell);
      const list = outcomes.get(next);
      if (list) list.push(layout);
      else outcomes.set(next, [layout]);
    }
    if (alive <= best.wins) continue; // even if all of them were won
    let wins = 0;
    for (const [next, layouts] of outcomes) wins += bestPlay(size, next, layouts, memo, keyOf).wins;
    if (wins > best.wins) best = { cell, wins };
  }
  memo.set(key, best);
  return best;
}

/** Layouts that the best policy wins, no first click being safe, of all layouts. */
export function optimalWins(size: Size, mines: number): { wins: number; of: number } {
  const cells = size.rows * size.cols;
  const symmetries = maps(size);
  const canonical = (shown: string) => symmetries.map((map) => map.map((cell) => shown[cell]).join('')).sort()[0]!;
  const all = layoutsOf(cells, mines);
  return { wins: bestPlay(size, '?'.repeat(cells), all, new Map(), canonical).wins, of: all.length };
}

/** Layouts of `mines` on `size` that a policy wins; `play` returns the cell to open. */
export function winsOf(size: Size, mines: number, play: (shown: string) => number): number {
  const cells = size.rows * size.cols;
  const memo = new Map<string, number>();
  return layoutsOf(cells, mines).filter((layout) => {
    let shown = '?'.repeat(cells);
    for (;;) {
      let cell = memo.get(shown);
      if (cell === undefined) memo.set(shown, (cell = play(shown)));
      if (layout.has(cell)) return false;
      shown = open(size, layout, shown, cell);
      if ([...shown].filter((mark) => mark === '?').length === mines) return true;
    }
  }).length;
}

/** The symmetries of the rectangle, as index maps. */
function maps({ rows, cols }: Size): number[][] {
  const cells = Array.from({ length: rows * cols }, (_, i) => [Math.floor(i / cols), i % cols] as const);
  const to = (f: (row: number, col: number) => [number, number]) =>
    cells.map(([row, col]) => {
      const [r, c] = f(row, col);
      return r * cols + c;
    });
  const [R, C] = [rows - 1, cols - 1];
  const flips = [
    to((r, c) => [r, c]),
    to((r, c) => [R - r, c]),
    to((r, c) => [r, C - c]),
    to((r, c) => [R - r, C - c]),
  ];
  if (rows !== cols) return flips;
  return [
    ...flips,
    to((r, c) => [c, r]),
    to((r, c) => [R - c, r]),
    to((r, c) => [c, C - r]),
    to((r, c) => [R - c, C - r]),
  ];
}
