// Cells, neighbours and what opening a cell shows. A cell is an index, row by row; `shown` is one character a cell:
// `?` covered, 0-8, F flag, X a mine that went off.

export interface Size {
  readonly rows: number;
  readonly cols: number;
}

const known = new Map<string, readonly (readonly number[])[]>();

/** The up to eight neighbours of every cell. */
export function neighbours({ rows, cols }: Size): readonly (readonly number[])[] {
  const key = `${rows}x${cols}`;
  let lists = known.get(key);
  if (!lists) {
    lists = Array.from({ length: rows * cols }, (_, cell) => {
      const [row, col] = [Math.floor(cell / cols), cell % cols];
      const near: number[] = [];
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
        for (let c = Math.max(0, col - 1); c <= Math.min(cols - 1, col + 1); c++) {
          if (r !== row || c !== col) near.push(r * cols + c);
        }
      }
      return near;
    });
    known.set(key, lists);
  }
  return lists;
}

export const isNumber = (mark: string) => mark >= '0' && mark <= '8';
export const isCovered = (mark: string) => mark === '?' || mark === 'F';
export const openCells = (shown: string) => [...shown].filter(isNumber).length;

/** Opens a safe cell, and what surrounds it as long as counts are zero. Flags stay where they are. */
export function open(size: Size, mines: ReadonlySet<number>, shown: string, cell: number): string {
  const near = neighbours(size);
  const marks = [...shown];
  const queue = [cell];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (marks[at] !== '?') continue;
    const count = near[at]!.filter((other) => mines.has(other)).length;
    marks[at] = String(count);
    if (count === 0) queue.push(...near[at]!);
  }
  return marks.join('');
}
