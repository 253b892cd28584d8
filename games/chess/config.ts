// The sizes of chess-v1: the paper's and ours. Knows no rules of movement.
import type { GameConfig, Phase, Preset } from '../contract.ts';

export interface ChessConfig extends GameConfig {
  readonly rows: number;
  readonly cols: number;
  readonly pieces: number;
  /** Positions shown of each piece, the newest last. */
  readonly shown: number;
  /** Predictions in an episode. */
  readonly rounds: number;
}

function sized(preset: Preset, phase: Phase, size: number, pieces: number): ChessConfig {
  const rounds = 5;
  return {
    preset,
    phase,
    rows: size,
    cols: size,
    pieces,
    shown: 7,
    rounds,
    stepCap: rounds,
    scoreBounds: [0, 1],
    stepRewardBounds: [0, 1 / rounds],
    scoreStep: 1 / (pieces * rounds),
  };
}

export const configs = {
  paper: { explore: sized('paper', 'explore', 15, 12), strict: sized('paper', 'strict', 15, 22) },
  pocket: { explore: sized('pocket', 'explore', 9, 3), strict: sized('pocket', 'strict', 9, 5) },
} as const;

export const letterOf = (index: number) => String.fromCharCode(65 + index);
