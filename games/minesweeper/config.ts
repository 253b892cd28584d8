// The sizes of minesweeper-v1: the paper's and ours. Knows no layout.
import type { GameConfig, Phase, Preset } from '../contract.ts';

export interface MinesweeperConfig extends GameConfig {
  readonly rows: number;
  readonly cols: number;
  /** Drawn uniformly between these. */
  readonly minMines: number;
  readonly maxMines: number;
  /** Mines that may go off before the one that ends the episode. */
  readonly lives: number;
  /** Whether one safe cell, with its zero region, is open at the start. */
  readonly opened: boolean;
  /** Whether `flag` and `unflag` exist. */
  readonly flags: boolean;
}

function paper(phase: Phase): MinesweeperConfig {
  return {
    ...common('paper', phase, 9, 9, 64),
    minMines: 10,
    maxMines: 20,
    lives: phase === 'explore' ? 2 : 0,
    opened: false,
    flags: true,
    // Taking back a right flag costs 1/mines; opening the last safe cell may pay 1 at once.
    stepRewardBounds: [-1 / 10, 1],
    scoreStep: 1 / 20,
  };
}

function pocket(phase: Phase): MinesweeperConfig {
  const mines = phase === 'explore' ? 4 : 5;
  return {
    ...common('pocket', phase, 5, 5, 20),
    minMines: mines,
    maxMines: mines,
    lives: phase === 'explore' ? 1 : 0,
    opened: true,
    flags: false,
    scoreStep: 1 / (25 - mines - 1),
  };
}

function common(preset: Preset, phase: Phase, rows: number, cols: number, stepCap: number) {
  return { preset, phase, rows, cols, stepCap, scoreBounds: [0, 1], stepRewardBounds: [0, 1] } as const;
}

export const configs = {
  paper: { explore: paper('explore'), strict: paper('strict') },
  pocket: { explore: pocket('explore'), strict: pocket('strict') },
} as const;
