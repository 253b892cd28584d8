// Blocks, their rotations and distinct placements. Knows no board content.

/** Patterns at 0 degrees, rows from the top separated by `/`. */
export const PATTERNS = {
  I: '####',
  O: '##/##',
  T: '.#./###',
  S: '.##/##.',
  Z: '##./.##',
  J: '#../###',
  L: '..#/###',
  domino: '##',
  I3: '###',
  L3: '#./##',
} as const;
export type Piece = keyof typeof PATTERNS;

export const ANGLES = [0, 90, 180, 270] as const;
export type Angle = (typeof ANGLES)[number];

export interface Shape {
  readonly angle: Angle;
  readonly width: number;
  readonly height: number;
  /** Rows from the top; bit c is the cell c columns right of the leftmost. */
  readonly masks: readonly number[];
}

export interface Placement {
  readonly shape: Shape;
  /** Zero-based column of the shape's leftmost cell. */
  readonly column: number;
}

function rotate(rows: readonly string[]): string[] {
  return Array.from({ length: rows[0]!.length }, (_, c) =>
    rows
      .map((row) => row[c])
      .reverse()
      .join(''),
  ); // clockwise
}

const toShape = (rows: readonly string[], angle: Angle): Shape => ({
  angle,
  width: rows[0]!.length,
  height: rows.length,
  masks: rows.map((row) => [...row].reduce((mask, cell, c) => mask | (cell === '#' ? 1 << c : 0), 0)),
});

const shapes = Object.fromEntries(
  Object.entries(PATTERNS).map(([piece, pattern]) => {
    const all: Shape[] = [];
    let rows = pattern.split('/') as string[];
    for (const angle of ANGLES) {
      all.push(toShape(rows, angle));
      rows = rotate(rows);
    }
    return [piece, all];
  }),
) as unknown as Record<Piece, Shape[]>;

export const shapeAt = (piece: Piece, angle: Angle): Shape => shapes[piece][ANGLES.indexOf(angle)]!;

/** The angles that differ, each by its smallest. */
export const distinctShapes = (piece: Piece): Shape[] =>
  shapes[piece].filter((shape, i, all) => all.findIndex((other) => same(other, shape)) === i);

const same = (a: Shape, b: Shape) => a.width === b.width && a.masks.join() === b.masks.join();

const cache = new Map<string, readonly Placement[]>();

/** Every placement that differs on a board of this width, by angle and then column. */
export function distinctPlacements(piece: Piece, width: number): readonly Placement[] {
  const key = `${piece} ${width}`;
  let placements = cache.get(key);
  if (!placements) {
    placements = distinctShapes(piece).flatMap((shape) =>
      Array.from({ length: Math.max(0, width - shape.width + 1) }, (_, column) => ({ shape, column })),
    );
    cache.set(key, placements);
  }
  return placements;
}

/** The action's text: one-based column, angle. */
export const actionOf = ({ shape, column }: Placement) => `${column + 1} ${shape.angle}`;
