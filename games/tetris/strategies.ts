// Eleven ways to play Tetris, each with its advice in the words an agent would use.
import type { Rng } from '../contract.ts';
import type { TetrisConfig } from './config.ts';
import { lookahead, ranked } from './expert.ts';
import { drop, profile, type Field } from './field.ts';
import { actionOf, distinctPlacements, type Piece, type Placement } from './pieces.ts';
import { current, type TetrisState } from './state.ts';

type Strategy = (config: TetrisConfig, state: TetrisState, rng: Rng) => string;
type Choose = (field: Field, piece: Piece, config: TetrisConfig, rng: Rng) => Placement | undefined;

/** Plays the chosen placement, or the first one where every choice loses. */
const by =
  (choose: Choose): Strategy =>
  (config, state, rng) => {
    const piece = current(state);
    if (!piece) return '1 0';
    return actionOf(choose(state.field, piece, config, rng) ?? distinctPlacements(piece, config.width)[0]!);
  };

interface After {
  readonly placement: Placement;
  readonly heights: readonly number[];
  readonly holes: number;
  readonly cleared: number;
}

/** The placement of least cost among those that do not lose; ties in the fixed order. */
const least = (cost: (after: After) => number) =>
  by((field, piece, { width }) => {
    let best: Placement | undefined;
    let lowest = Infinity;
    for (const placement of distinctPlacements(piece, width)) {
      const landing = drop(field, width, placement.shape, placement.column);
      if (!landing) continue;
      const value = cost({ placement, cleared: landing.cleared, ...profile(landing.field, width) });
      if (value < lowest) [best, lowest] = [placement, value];
    }
    return best;
  });

const any: Choose = (_, piece, { width }, rng) => rng.pick(distinctPlacements(piece, width));
const bumps = ({ heights }: After) => heights.reduce((sum, h, i) => sum + (i ? Math.abs(h - heights[i - 1]!) : 0), 0);
const top = ({ heights }: After) => Math.max(...heights);

export const random = by(any);
export const expert = by((field, piece, { width, pieces }) => lookahead(field, width, piece, pieces));

export const strategies: Readonly<Record<string, Strategy>> = {
  random,
  stackLeft: by((_, piece, { width }) => distinctPlacements(piece, width)[0]),
  pileHigh: least((after) => -top(after)),
  upright: least((after) => (after.placement.shape.height > after.placement.shape.width ? 0 : 100) + top(after)),
  flatOnly: least((after) => (after.placement.shape.angle === 0 ? 0 : 100) + top(after)),
  lowest: least(top),
  level: least(bumps),
  noHoles: least((after) => after.holes),
  clearOrAny: by((field, piece, config, rng) => {
    const { width } = config;
    const clearing = distinctPlacements(piece, width).find((p) => drop(field, width, p.shape, p.column)?.cleared);
    return clearing ?? any(field, piece, config, rng);
  }),
  greedy: by((field, piece, { width }) => ranked(field, width, piece)[0]?.placement),
  expertHalf: (config, state, rng) => (rng.next() < 0.5 ? expert : random)(config, state, rng),
  expert,
};

export const tips: Readonly<Record<string, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  stackLeft: 'retain: put every piece at the left avoid: turns next: column 1 again',
  pileHigh: 'retain: put the piece on the high column avoid: the low column next: go high',
  upright: 'retain: put the piece upright avoid: flat pieces next: the low column',
  flatOnly: 'retain: put the piece flat avoid: turns next: the low column',
  lowest: 'retain: put the piece on the low column avoid: the high column next: keep heights low',
  level: 'retain: keep heights equal avoid: steps next: make heights equal again',
  noHoles: 'retain: cover no holes avoid: holes next: any move with no holes',
  clearOrAny: 'retain: clear a row when listed avoid: nothing next: else choose any move',
  greedy: 'retain: clear a row when listed avoid: holes and the high column next: keep heights low',
  expertHalf: 'retain: clear a row when listed avoid: nothing next: often choose any move',
  expert: 'retain: clear a row when listed avoid: holes and the high column next: keep heights low and equal',
};
