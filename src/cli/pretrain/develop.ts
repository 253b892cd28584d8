// Strict play on development instances, as the gym plays them: what pretraining shows on its way, and what probes use.
import type { Game } from '../../../games/contract.ts';
import { splitContext } from '../../gym/budget.ts';
import { localGameHost } from '../../gym/host.ts';
import { tokenBudget } from '../../gym/budget.ts';
import { playEpisodes, type EpisodePlan, type PlayedEpisode } from '../../gym/play.ts';
import type { PromptBlocks } from '../../gym/prompts.ts';
import { heldOutDecodeSeed, heldOutSeed } from '../../gym/seeds.ts';
import type { LanguageModel } from '../../models/types.ts';

// Normalised scores are shown where baselines were measured already.
const measured = import.meta.glob<Record<string, { random: number; expert: number } | undefined>>(
  '../../../games/baselines.json',
  { eager: true, import: 'default' },
);

/** `count` strict episodes with those blocks, in the order of their instances; temperature 0.7. */
export async function playDevelopment(
  game: Game,
  model: LanguageModel,
  count: number,
  blocks: PromptBlocks,
): Promise<PlayedEpisode[]> {
  const plans = Array.from({ length: count }, (_, index): EpisodePlan => ({
    runSeed: 0,
    pathway: 'pretraining',
    game: game.id,
    preset: 'pocket',
    phase: 'strict',
    role: 'development',
    split: 'strict',
    options: {},
    replicate: 0,
    index,
    seed: heldOutSeed(0, game.id, 'development', 'strict', index),
    decodeSeed: (instance) => heldOutDecodeSeed(instance, 0),
    temperature: 0.7,
    checkpoint: 0,
    adapter: null,
    memory: null,
    blocks,
  }));
  const rules = {
    shares: splitContext(model.card.context, 0, 48),
    greedyScore: true,
    maskMode: 'off',
    budget: tokenBudget(model),
    width: 40,
  } as const;
  const episodes: PlayedEpisode[] = [];
  for await (const item of playEpisodes(
    plans,
    { readsExpert: false, readsReward: false },
    model,
    localGameHost(),
    rules,
  )) {
    if ('played' in item) episodes.push(item.played);
  }
  return episodes;
}

/** 0 = random, 1 = expert; null where no baseline was measured. */
export function normalised(game: Game, score: number): number | null {
  const known = Object.values(measured)[0]?.[`${game.id}/pocket/strict`];
  return known ? (score - known.random) / (known.expert - known.random) : null;
}

export const meanScore = (episodes: readonly PlayedEpisode[]): number =>
  episodes.reduce((sum, episode) => sum + episode.score, 0) / episodes.length;

/** Share of the steps with a valid answer. */
export function validShare(episodes: readonly PlayedEpisode[]): number {
  const steps = episodes.flatMap((episode) => episode.steps);
  return steps.filter((step) => step.valid).length / steps.length;
}
