// Episodes for pretraining's documents and for probes: one named strategy, or two mixed step by step. Knows no document.
import type { Game, Phase, Preset, Role } from '../../../games/contract.ts';
import { advance, observe, reset, type Episode } from '../../../games/episode.ts';
import { stream } from '../../../games/rng.ts';
import type { ExperienceStep } from '../../gym/experience.ts';

export const PRESET: Preset = 'pocket';

/**
 * A way to play: each step follows `good` with probability `share`, else `bad`. One strategy alone has a share of 1 or 0.
 * A sampler that is surer of itself doesn't find the good one where it is the rarer; training on what paid does.
 */
export interface Way {
  good: string;
  bad: string;
  share: number;
}

export interface Played {
  way: Way;
  steps: ExperienceStep[];
  /** Sum of the scores as shown, which is what a reader of the history can go by. */
  shown: number;
  /** The verifier's. */
  total: number;
}

/** The strategy that a way follows most. */
export const mainly = ({ good, bad, share }: Way): string => (share >= 0.5 ? good : bad);

export const pure = (strategy: string): Way => ({ good: strategy, bad: strategy, share: 1 });

/** How often a permissive episode holds an invalid answer at some step; such answers are shown, never learnt. */
const INVALID = 0.02;

export interface PlayPlan {
  phase: Phase;
  way: Way;
  /** Share of the scores that are one of the bounds' whole numbers instead of the true reward. */
  noise: number;
  /** Of the instances; default: pretraining. */
  role?: Role;
}

export function playEpisode(game: Game, { phase, way, noise, role = 'pretraining' }: PlayPlan, seed: string): Played {
  const rng = stream(seed, 'play');
  let episode = reset(game, { preset: PRESET, phase, seed, role });
  const [low, high] = episode.config.stepRewardBounds;
  const steps: ExperienceStep[] = [];
  let total = 0;
  while (!episode.end) {
    const observation = observe(episode);
    const slip = phase === 'explore' && rng.next() < INVALID;
    const strategy = rng.next() < way.share ? way.good : way.bad;
    const action = slip
      ? rng.pick(['none', 'any', 'next'])
      : game.strategies![strategy]!(episode.config, episode.state, rng);
    const next = advance(episode, action);
    const { reward, valid, feedback } = next.report;
    const score = rng.next() < noise ? low + rng.int(Math.floor(high - low) + 1) : reward;
    steps.push({ step: steps.length, observation, action, score, valid, feedback });
    total += reward;
    episode = next.episode;
  }
  return { steps, way, total, shown: steps.reduce((sum, step) => sum + (step.score ?? 0), 0) };
}

/** The episode after these steps of one that was played with the same seed. */
export function replayTo(
  game: Game,
  phase: Phase,
  seed: string,
  steps: readonly ExperienceStep[],
  role: Role = 'pretraining',
): Episode {
  let episode = reset(game, { preset: PRESET, phase, seed, role });
  for (const { action } of steps) episode = advance(episode, action!).episode;
  return episode;
}

const TRIALS = 24;
const rankings = new Map<string, readonly string[]>();

/** A game's strategies from the weakest to the strongest, by their mean score on fixed instances of the strict phase. */
export function ranked(game: Game): readonly string[] {
  const known = rankings.get(game.id);
  if (known) return known;
  const mean = (strategy: string) => {
    let sum = 0;
    for (let i = 0; i < TRIALS; i++) {
      sum += playEpisode(game, { phase: 'strict', way: pure(strategy), noise: 0 }, `rank ${i}`).total;
    }
    return sum / TRIALS;
  };
  const names = Object.keys(game.strategies ?? {});
  const scores = new Map(names.map((name) => [name, mean(name)]));
  const ranking = names.sort((a, b) => scores.get(a)! - scores.get(b)!);
  rankings.set(game.id, ranking);
  return ranking;
}
