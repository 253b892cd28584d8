// Tetris' sizes and block sets, as data.
import type { GameConfig, Phase, Preset } from '../contract.ts';
import { PATTERNS, type Piece } from './pieces.ts';

export interface TetrisConfig extends GameConfig {
  readonly width: number;
  readonly height: number;
  readonly pieces: readonly Piece[];
  /** Times that topping out is forgiven, and how many top rows are emptied then. */
  readonly spares: number;
  readonly spareRows: number;
  /** Rows for a success. */
  readonly goal: number;
}

type Size = Pick<TetrisConfig, 'width' | 'height' | 'pieces' | 'spares' | 'goal' | 'stepCap'>;

export function makeConfig(preset: Preset, phase: Phase, size: Size): TetrisConfig {
  const patterns = size.pieces.map((piece) => PATTERNS[piece]);
  const cells = Math.max(...patterns.map((pattern) => pattern.replace(/[^#]/g, '').length));
  const span = Math.max(...patterns.flatMap((pattern) => [pattern.split('/').length, pattern.split('/')[0]!.length]));
  return {
    preset,
    phase,
    ...size,
    spareRows: 2,
    scoreBounds: [0, Math.floor((cells * size.stepCap) / size.width)],
    stepRewardBounds: [0, Math.min(span, size.height)],
    scoreStep: 1,
  };
}

const POCKET = { width: 4, pieces: ['domino', 'I3', 'L3', 'O'], goal: 4, stepCap: 16 } as const;
const PAPER = { pieces: ['I', 'O', 'T', 'S', 'Z', 'J', 'L'], goal: 8, stepCap: 64, spares: 0 } as const;

export const configs = {
  pocket: {
    explore: makeConfig('pocket', 'explore', { ...POCKET, height: 8, spares: 1 }),
    strict: makeConfig('pocket', 'strict', { ...POCKET, height: 6, spares: 0 }),
  },
  paper: {
    explore: makeConfig('paper', 'explore', { ...PAPER, width: 10, height: 10 }),
    strict: makeConfig('paper', 'strict', { ...PAPER, width: 8, height: 8 }),
  },
};
