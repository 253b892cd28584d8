// The state of an episode: whole paths (the end of them hidden) and how far the agent has come.
import type { ChessConfig } from './config.ts';
import type { Cell } from './family.ts';

export type ChessState = {
  paths: Cell[][];
  /** Predictions made. */
  round: number;
  /** Pieces predicted rightly so far. */
  right: number;
};

/** The positions on view: the newest `shown` of each piece. */
export const window = (config: ChessConfig, state: ChessState) =>
  state.paths.map((path) => path.slice(state.round, state.round + config.shown));

/** All positions that were ever on view. */
export const seen = (config: ChessConfig, state: ChessState) =>
  state.paths.map((path) => path.slice(0, state.round + config.shown));
