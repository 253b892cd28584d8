// The field as rows of bits: dropping a shape, clearing full rows, measuring heights and holes.
import type { Shape } from './pieces.ts';

/** Rows from the top; bit c is column c. */
export type Field = readonly number[];

export interface Landing {
  readonly field: Field;
  readonly cleared: number;
}

/** Drops straight down from above; null when the piece comes to rest partly above the board. */
export function drop(field: Field, width: number, shape: Shape, column: number): Landing | null {
  const { masks, height } = shape;
  const top = rest(field, shape, column);
  if (top < 0) return null;
  const full = 2 ** width - 1;
  const next = field.slice();
  let cleared = 0;
  for (let i = 0; i < height; i++) {
    next[top + i]! |= masks[i]! << column;
    if (next[top + i] === full) cleared++;
  }
  if (cleared === 0) return { field: next, cleared };
  const kept = next.filter((row) => row !== full);
  return { field: [...new Array<number>(cleared).fill(0), ...kept], cleared };
}

/** The row at which the shape's top row comes to rest; negative when part of it stays above the board. */
function rest(field: Field, { masks, height }: Shape, column: number): number {
  const filled = field.findIndex((row) => row !== 0);
  let top = (filled < 0 ? field.length : filled) - height; // nothing is met above the first filled row
  for (;;) {
    const next = top + 1;
    if (next + height > field.length) return top;
    for (let i = 0; i < height; i++) {
      if (next + i >= 0 && field[next + i]! & (masks[i]! << column)) return top;
    }
    top = next;
  }
}

export const empty = (height: number): Field => new Array<number>(height).fill(0);

export interface Profile {
  /** Height of each column, from the left. */
  readonly heights: readonly number[];
  /** Empty cells below a filled one. */
  readonly holes: number;
}

export function profile(field: Field, width: number): Profile {
  const heights = new Array<number>(width).fill(0);
  let holes = 0;
  for (let column = 0; column < width; column++) {
    const bit = 1 << column;
    let row = 0;
    while (row < field.length && !(field[row]! & bit)) row++;
    heights[column] = field.length - row;
    for (; row < field.length; row++) if (!(field[row]! & bit)) holes++;
  }
  return { heights, holes };
}
