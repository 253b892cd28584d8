// The state of a game of Tetris and what one placement does to it.
import type { TetrisConfig } from './config.ts';
import { drop, empty, type Field } from './field.ts';
import { ANGLES, shapeAt, type Angle, type Piece, type Placement } from './pieces.ts';

// A type, not an interface: instances are Json.
export type TetrisInstance = { pieces: Piece[] };

export interface TetrisState {
  readonly field: Field;
  /** The whole schedule; only the piece at `placed` is shown. */
  readonly pieces: readonly Piece[];
  readonly placed: number;
  readonly cleared: number;
  readonly spares: number;
  readonly over: boolean;
}

export const begin = (config: TetrisConfig, { pieces }: TetrisInstance): TetrisState => ({
  field: empty(config.height),
  pieces,
  placed: 0,
  cleared: 0,
  spares: config.spares,
  over: false,
});

/** The piece to place now; undefined when all are placed. */
export const current = (state: TetrisState): Piece | undefined => state.pieces[state.placed];

/** Any column and angle in range, or the reason why not. */
export function parse(config: TetrisConfig, piece: Piece, column: string, angle: string): Placement | string {
  const degrees = Number(angle) as Angle;
  if (!ANGLES.includes(degrees)) return 'unknown angle';
  const shape = shapeAt(piece, degrees);
  const zeroBased = Number(column) - 1;
  if (zeroBased < 0 || zeroBased + shape.width > config.width) return 'column out of range';
  return { shape, column: zeroBased };
}

export type Event = 'landed' | 'spared' | 'over';

export function place(
  config: TetrisConfig,
  state: TetrisState,
  placement: Placement,
): { state: TetrisState; event: Event } {
  const landing = drop(state.field, config.width, placement.shape, placement.column);
  if (landing) {
    const { field, cleared } = landing;
    return { state: { ...state, field, placed: state.placed + 1, cleared: state.cleared + cleared }, event: 'landed' };
  }
  if (state.spares === 0) return { state: { ...state, over: true }, event: 'over' };
  const field = state.field.map((row, i) => (i < config.spareRows ? 0 : row));
  return { state: { ...state, field, spares: state.spares - 1 }, event: 'spared' };
}
