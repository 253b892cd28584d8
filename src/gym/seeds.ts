// Seeds by name: each is a pure function of the run's seed and a path of names, so nothing shares a stream.
import { deriveSeed } from '../../games/rng.ts';

/** Seed of an exploration instance: the same for every arm. */
export const exploreSeed = (run: number, game: string, index: number) => deriveSeed(run, 'explore', game, index);

/** Decode seed of an exploration episode: the same for every arm. */
export const exploreDecodeSeed = (run: number, game: string, index: number) =>
  deriveSeed(run, 'explore-decode', game, index);

/** Seed of a held-out (or development) instance. */
export const heldOutSeed = (run: number, game: string, role: string, split: string, index: number) =>
  deriveSeed(run, 'held-out', game, role, split, index);

/**
 * f(instance, replicate): the same for every arm and checkpoint. `occurrence` tells repeated instances apart where a game
 * has only a few (Trust), else they would be the same episode again and again.
 */
export const heldOutDecodeSeed = (instance: string, replicate: number, occurrence = 0) =>
  deriveSeed(instance, 'decode', replicate, occurrence);

export const stepSeed = (decodeSeed: number, step: number) => deriveSeed(decodeSeed, 'step', step);

export const namedSeed = (run: number, ...names: (string | number)[]) => deriveSeed(run, ...names);
