// The best possible play on a tiny field, by exhaustive search over what can be shown. For tests only: it knows every
// layout and what each cell shows, and grows far too fast for the real boards.
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

/** Layouts that the best policy wins, no first click being safe, of all layouts. */
export function optimalWins(size: Size, mines: number): { wins: number; of: number } {
  const cells = size.rows * size.cols;
  const symmetries = maps(size);
  const memo = new Map<string, number>();

  // `agree` are the layouts that agree with what is shown: they all share the same marks.
  function best(shown: string, agree: Set<number>[]): number {
    if ([...shown].filter((mark) => mark !== '?').length === cells - mines) return agree.length;
    const key = symmetries.map((map) => map.map((cell) => shown[cell]).join('')).sort()[0]!;
    const known = memo.get(key);
    if (known !== undefined) return known;
    const covered = [...shown].flatMap((mark, cell) => (isCovered(mark) ? [cell] : []));
    const safe = covered.find((cell) => agree.every((layout) => !layout.has(cell)));
    let wins = 0;
    for (const cell of safe === undefined ? covered : [safe]) {
      // A safe cell costs nothing, so it is always among the best moves.
      const outcomes = new Map<string, Set<number>[]>();
      let alive = 0;
      for (const layout of agree) {
        if (layout.has(cell)) continue;
        alive++;
        const next = open(size, layout, shown, cell);
        outcomes.set(next, [...(outcomes.get(next) ?? []), layout]);
      }
      if (alive <= wins) continue; // even if all of them were won
      let sum = 0;
      for (const [next, layouts] of outcomes) sum += best(next, layouts);
      wins = Math.max(wins, sum);
    }
    memo.set(key, wins);
    return wins;
  }
  const all = layoutsOf(cells, mines);
  return { wins: best('?'.repeat(cells), all), of: all.length };
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
