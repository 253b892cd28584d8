// How many tokens a sequence one run decodes: a submit and a readback cost a GPU about as much as a small model's token.
// Knows nothing of plans.
import type { Share } from './sequence.ts';

const MOST = 8;
/** Fewer rows cost a pass as much: all weights are read. */
const LEAST_ROWS = 8;

/** Passes over so many weights that a run's budget of multiply-adds holds. */
export const passesWithin = (burst: number, weights: number, rows: number): number =>
  Math.min(MOST, Math.floor(burst / (weights * Math.max(LEAST_ROWS, rows))));

/**
 * At most `allowed`, a power of two so that few plans are made. 1 unless every share only decodes and no mask is
 * asked for between tokens; never more than any of them may still be given.
 */
export function passesOf(shares: readonly Share[], allowed: number): number {
  const decodes = shares.every(({ sequence, tokens }) => {
    return tokens === 1 && sequence.pending === 1 && !sequence.leader && !sequence.request.mask;
  });
  if (!decodes) return 1;
  const most = Math.min(allowed, ...shares.map(({ sequence }) => sequence.left));
  return 2 ** Math.floor(Math.log2(Math.max(1, most)));
}
