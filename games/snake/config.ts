// Snake's sizes, as data.
import type { GameConfig, Phase, Preset } from '../contract.ts';

export interface SnakeConfig extends GameConfig {
  /** Cells of the drawn board, its ring of walls included. */
  readonly width: number;
  readonly height: number;
  readonly apples: number;
  readonly obstacles: number;
  /** Apples for a success. */
  readonly goal: number;
}

type Size = Pick<SnakeConfig, 'width' | 'height' | 'apples' | 'obstacles' | 'goal' | 'stepCap'>;

export function makeConfig(preset: Preset, phase: Phase, size: Size): SnakeConfig {
  // An apple a step at most, and the snake must fit.
  const room = (size.width - 2) * (size.height - 2) - size.obstacles - 1;
  return {
    preset,
    phase,
    ...size,
    scoreBounds: [0, Math.min(size.stepCap, room)],
    stepRewardBounds: [0, 1],
    scoreStep: 1,
  };
}

const POCKET: Size = { width: 8, height: 8, apples: 2, obstacles: 0, goal: 4, stepCap: 24 };
const PAPER: Size = { width: 8, height: 8, apples: 3, obstacles: 3, goal: 10, stepCap: 64 };

export const configs = {
  pocket: { explore: makeConfig('pocket', 'explore', POCKET), strict: makeConfig('pocket', 'strict', POCKET) },
  paper: { explore: makeConfig('paper', 'explore', PAPER), strict: makeConfig('paper', 'strict', PAPER) },
};
