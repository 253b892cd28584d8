// Draws a layout, and in pocket the cell that is open at the start. Both are drawn together and rejected together, so
// that every layout that agrees with the open cells is equally likely: the expert relies on it.
import type { Rng } from '../contract.ts';
import type { MinesweeperConfig } from './config.ts';
import { open, openCells } from './field.ts';

export type MinesweeperInstance = { mines: number[]; start: number | null };

export function generate(config: MinesweeperConfig, rng: Rng): MinesweeperInstance {
  const cells = config.rows * config.cols;
  const count = config.minMines + rng.int(config.maxMines - config.minMines + 1);
  for (;;) {
    const order = rng.shuffle(Array.from({ length: cells }, (_, cell) => cell));
    const mines = order.slice(0, count).sort((a, b) => a - b);
    if (!config.opened) return { mines, start: null };
    const start = order[count]!; // uniform over the safe cells
    const shown = open(config, new Set(mines), '?'.repeat(cells), start);
    if (openCells(shown) * 2 <= cells - count) return { mines, start };
  }
}
