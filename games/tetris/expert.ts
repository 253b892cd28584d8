// The best placement over the mean of the next piece, by rows cleared and the shape of the field that is left.
// Sees the field and the piece to place, never the schedule.
import { drop, type Field } from './field.ts';
import { distinctPlacements, type Piece, type Placement } from './pieces.ts';

/** What a field is worth; weights after Y. Lee, "Tetris AI - the (near) perfect bot" (2013). */
const WEIGHTS = { rows: 0.76, height: -0.51, holes: -0.36, bumps: -0.18 };
const LOSS = -1000;
/** Placements that are looked at with the next piece; the rest are too far behind to win. */
const BEAM = 8;

export function fieldValue(field: Field, width: number): number {
  // Row by row from the top: `covered` holds the columns whose top has been met, so its bits add up to the heights.
  const between = 2 ** (width - 1) - 1;
  let covered = 0;
  let heights = 0;
  let holes = 0;
  let bumps = 0;
  for (const row of field) {
    covered |= row;
    heights += bits(covered);
    holes += bits(covered & ~row);
    bumps += bits((covered ^ (covered >> 1)) & between);
  }
  return WEIGHTS.height * heights + WEIGHTS.holes * holes + WEIGHTS.bumps * bumps;
}

function bits(mask: number): number {
  let count = 0;
  for (; mask; mask &= mask - 1) count++;
  return count;
}

interface Choice {
  readonly placement: Placement;
  readonly field: Field;
  readonly gain: number;
  readonly value: number;
}

/** Every placement that does not lose, the best one-step value first; ties in the fixed order. */
export function ranked(field: Field, width: number, piece: Piece): Choice[] {
  const choices: Choice[] = [];
  for (const placement of distinctPlacements(piece, width)) {
    const landing = drop(field, width, placement.shape, placement.column);
    if (!landing) continue;
    const gain = WEIGHTS.rows * landing.cleared;
    choices.push({ placement, field: landing.field, gain, value: gain + fieldValue(landing.field, width) });
  }
  return choices.sort((a, b) => b.value - a.value);
}

function bestValue(field: Field, width: number, piece: Piece): number {
  let best = LOSS;
  for (const { shape, column } of distinctPlacements(piece, width)) {
    const landing = drop(field, width, shape, column);
    if (!landing) continue;
    best = Math.max(best, WEIGHTS.rows * landing.cleared + fieldValue(landing.field, width));
  }
  return best;
}

/** The best placement over the mean of `next` (one piece: a known next). Undefined when every placement loses. */
export function lookahead(field: Field, width: number, piece: Piece, next: readonly Piece[]): Placement | undefined {
  let best: { placement: Placement; value: number } | undefined;
  for (const choice of ranked(field, width, piece).slice(0, BEAM)) {
    const later = next.reduce((sum, follower) => sum + bestValue(choice.field, width, follower), 0) / next.length;
    const value = choice.gain + later;
    if (!best || value > best.value) best = { placement: choice.placement, value };
  }
  return best?.placement;
}
