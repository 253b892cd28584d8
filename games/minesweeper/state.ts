// The state of an episode: the hidden layout, what is shown, and the spare lives left.
import type { MinesweeperConfig } from './config.ts';
import { open, openCells } from './field.ts';
import type { MinesweeperInstance } from './generate.ts';

export type MinesweeperState = {
  mines: number[];
  shown: string;
  lives: number;
  /** Safe cells that were open before the agent's first step. */
  given: number;
};

export function start(config: MinesweeperConfig, instance: MinesweeperInstance): MinesweeperState {
  const { mines, start: cell } = instance;
  const covered = '?'.repeat(config.rows * config.cols);
  const shown = cell === null ? covered : open(config, new Set(mines), covered, cell);
  return { mines, shown, lives: config.lives, given: openCells(shown) };
}

export const allOpen = (state: MinesweeperState) => openCells(state.shown) + state.mines.length === state.shown.length;
const rightFlags = (state: MinesweeperState) => state.mines.filter((cell) => state.shown[cell] === 'F').length;
export const allFlagged = (state: MinesweeperState) => rightFlags(state) === state.mines.length;

/** paper: flagged mines / mines, 1 when every safe cell is open. pocket: safe cells opened / safe cells left at start. */
export function score(config: MinesweeperConfig, state: MinesweeperState): number {
  if (allOpen(state)) return 1;
  if (config.flags) return rightFlags(state) / state.mines.length;
  return (openCells(state.shown) - state.given) / (state.shown.length - state.mines.length - state.given);
}
