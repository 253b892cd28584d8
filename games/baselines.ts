// R and E: random and expert scores of every configuration, measured by `npm run baselines` into baselines.json.
// Here: the file's form, the seeds, and one episode's score; knows neither files nor clocks.
import type { Game, GameOptions, Phase, Preset, Split } from './contract.ts';
import { advance, reset } from './episode.ts';
import { canonicalJson, configOf } from './instance.ts';
import { stream } from './rng.ts';

export interface Baseline {
  /** Mean score of uniform play over legal actions, and its standard error. */
  random: number;
  randomSe: number;
  expert: number;
  expertSe: number;
  /** Episodes of each. */
  n: number;
  /** Mean score of doing nothing, where a game has that. */
  nothing?: number;
}

/** By `keyOf`. */
export type Baselines = Record<string, Baseline>;

export interface Setup {
  preset: Preset;
  phase: Phase;
  split?: Split;
  options?: GameOptions;
}

export type BaselinePolicy = 'random' | 'expert' | 'nothing';

/** `trust-v1/pocket/strict`, then the split and the options that are not the default: `…/unseen`, `…/opponents=retaliating`. */
export function keyOf(game: Game, { preset, phase, split, options = {} }: Setup): string {
  const parts: string[] = [game.id, preset, phase];
  if (split === 'unseen') parts.push(split);
  for (const { key, default: standard } of game.options ?? []) {
    const choice = options[key];
    if (choice !== undefined && choice !== standard) parts.push(`${key}=${choice}`);
  }
  return parts.join('/');
}

/** The entry of a configuration; options that leave it as it is (exploration's, in strict) have no entry of their own. */
export function findBaseline(all: Baselines, game: Game, setup: Setup): Baseline | null {
  const plain = { ...setup, options: {} };
  const content = ({ preset, phase, split, options }: Setup) =>
    canonicalJson(
      configOf(game, { preset, phase, seed: 0, ...(split ? { split } : {}), ...(options ? { options } : {}) }) as never,
    );
  return all[keyOf(game, content(setup) === content(plain) ? plain : setup)] ?? null;
}

export function policyOf(game: Game, policy: BaselinePolicy) {
  return policy === 'nothing' ? game.strategies?.nothing : game[policy];
}

/** Score of episode number `index`; policies share instances, and each has its own stream. */
export function baselineScore(game: Game, setup: Setup, policy: BaselinePolicy, seed: number | string, index: number) {
  const act = policyOf(game, policy);
  if (!act) throw new RangeError(`${game.id} has no policy ${policy}`);
  let episode = reset(game, { ...setup, seed: `baselines ${seed} ${index}` });
  const rng = stream(seed, 'baselines', policy, index);
  while (!episode.end) episode = advance(episode, act(episode.config, episode.state, rng)).episode;
  return episode.score;
}

export function meanAndError(values: readonly number[]): { mean: number; se: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean, se: Math.sqrt(variance / values.length) };
}
