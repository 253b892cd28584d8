// The sizes of nullify-v1: the paper's and ours, and the limits of the generator. Knows no arithmetic.
import type { GameConfig, Phase, Preset } from '../contract.ts';

export interface NullifyConfig extends GameConfig {
  /** Merges of the generated solution; units at the start = steps + 1. */
  readonly minSteps: number;
  readonly maxSteps: number;
  /** Largest numerator and denominator that the generator puts on the board. */
  readonly maxNumerator: number;
  readonly maxDenominator: number;
  /** `square` units at most; keeps numbers far below the digit limit (rational.ts). */
  readonly maxSquares: number;
  /** Whether the score counts merges that kept the position solvable (pocket), or only the end (paper). */
  readonly partial: boolean;
}

function sized(preset: Preset, phase: Phase, minSteps: number, maxSteps: number): NullifyConfig {
  const pocket = preset === 'pocket';
  return {
    preset,
    phase,
    minSteps,
    maxSteps,
    maxNumerator: pocket ? 20 : 60,
    maxDenominator: pocket ? 4 : 9,
    maxSquares: pocket ? 1 : 2,
    partial: pocket,
    stepCap: pocket ? 12 : 50,
    scoreBounds: [0, 1],
    // Pocket: two numbers that cancel before the end count for two merges, and that needs five units or more.
    stepRewardBounds: [0, pocket ? 1 / 2 : 1],
    scoreStep: pocket ? 1 / maxSteps : 1,
  };
}

export const configs = {
  paper: { explore: sized('paper', 'explore', 3, 7), strict: sized('paper', 'strict', 5, 10) },
  pocket: { explore: sized('pocket', 'explore', 3, 4), strict: sized('pocket', 'strict', 4, 5) },
} as const;

/** Instances that random play wins more often than this are rejected. */
export const MAX_RANDOM_WIN = 0.15;
/** Random playouts that estimate it. */
export const PLAYOUTS = 200;
