// How answers are decoded: one place for what ends an answer, how long it may be, and what of it is greedy.
// Knows no game and no pathway.
import type { Preset } from '../../games/contract.ts';
import type { SamplingSettings } from '../models/types.ts';

/** What a call decides for itself. */
export interface Decoding {
  temperature: number;
  seed: number;
  maxTokens: number;
  /** The score's number is decoded greedily. Default false. */
  greedyScore?: boolean;
}

/** A pocket answer is one line; a longer one may think first, and ends where it would speak for the game. */
export const samplingOf = (
  preset: Preset,
  { temperature, seed, maxTokens, greedyScore = false }: Decoding,
): SamplingSettings => ({
  temperature,
  seed,
  maxTokens,
  stop: preset === 'pocket' ? ['\n'] : ['\nEnv:'],
  ...(greedyScore ? { greedyAfter: 'Score:' } : {}),
});
