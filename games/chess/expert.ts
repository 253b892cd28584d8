// Ways to play, from uniform cells to fitting the family. All read shown positions only.
import type { Rng } from '../contract.ts';
import { write } from './action.ts';
import type { ChessConfig } from './config.ts';
import { continuations, type Cell } from './family.ts';
import { seen, window, type ChessState } from './state.ts';
import { again } from './views.ts';

type Policy = (config: ChessConfig, state: ChessState, rng: Rng) => string;

/** One guess a piece; a guess that no board holds leaves its piece out. */
const each =
  (guess: (config: ChessConfig, path: readonly Cell[], piece: number, rng: Rng) => Cell | null): Policy =>
  (config, state, rng) => {
    const cells = window(config, state).map((path, i) => guess(config, path, i, rng));
    // Everything left out would not parse, so the first piece then stays.
    return write(cells.some(Boolean) ? cells : [window(config, state)[0]!.at(-1)!]);
  };

export const random = each((config, _path, _piece, rng) => [rng.int(config.rows), rng.int(config.cols)]);

/** The continuation of the family's rules that fit all that was shown; unique by construction. */
export const expert: Policy = (config, state) =>
  write(seen(config, state).map((path) => continuations(config, path, 1)[0]?.[0] ?? again(config, path, 2)));

const clip = (at: number, size: number) => Math.max(0, Math.min(size - 1, at));
const same = (config: ChessConfig, path: readonly Cell[]) => again(config, path, 1);
const two = (config: ChessConfig, path: readonly Cell[]) => again(config, path, 2);

export const strategies: Readonly<Record<string, Policy>> = {
  random,
  stay: each((_config, path) => path.at(-1)!),
  same: each(same),
  two: each(two),
  mixed: each((config, path) => [same(config, path)[0], two(config, path)[1]]),
  swapped: each((config, path) => {
    const [row, col] = two(config, path);
    return [clip(col, config.rows), clip(row, config.cols)];
  }),
  repeat: each((config, path) => {
    const [row, col] = path.at(-1)!;
    return [
      clip(2 * row - path.at(-2)![0], config.rows), // runs into the wall and stops there
      clip(2 * col - path.at(-2)![1], config.cols),
    ];
  }),
  firstOnly: each((config, path, piece) => (piece === 0 ? two(config, path) : null)),
  expertHalf: (config, state, rng) => (rng.next() < 0.5 ? expert(config, state, rng) : random(config, state, rng)),
  expert,
};

export const tips: Readonly<Record<string, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  stay: 'retain: the cell now avoid: same and two next: the cell now again',
  repeat: 'retain: the last step avoid: two next: stop at a wall',
  same: 'retain: same for every piece avoid: two next: same again',
  two: 'retain: two for every piece avoid: same next: two again',
  mixed: 'retain: row of same and column of two avoid: row of two next: the same again',
  swapped: 'retain: two with row and column swapped avoid: same next: swap again',
  firstOnly: 'retain: two for A avoid: every other piece next: A only',
  expertHalf: 'retain: two for every piece avoid: nothing next: often choose any move',
  expert: 'retain: two for every piece avoid: same next: reverse the row or column after a wall',
};
