// The order of a snake's body. The board's text does not carry it, so it is found: a path from head to tail through all
// body cells, and where there are several, the one that follows from the board before.

export type Point = readonly [row: number, column: number];

const MOST_PATHS = 40;
const same = (a: Point | undefined, b: Point | undefined) =>
  a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1];
const touching = (a: Point, b: Point) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) === 1;

export function snakePath(head: Point, body: readonly Point[], tail: Point | null, before: readonly Point[]): Point[] {
  const paths: Point[][] = [];
  const visit = (path: Point[], left: readonly Point[]) => {
    if (paths.length >= MOST_PATHS) return;
    if (left.length === 0) {
      if (tail === null || same(path.at(-1), tail)) paths.push(path);
      return;
    }
    for (const cell of left) {
      if (touching(path.at(-1)!, cell))
        visit(
          [...path, cell],
          left.filter((other) => other !== cell),
        );
    }
  };
  visit([head], body);
  const follows = (path: readonly Point[]) =>
    path.slice(1).every((cell, i) => same(cell, before[i])) || path.every((cell, i) => same(cell, before[i]));
  return paths.find(follows) ?? paths[0] ?? [head];
}
