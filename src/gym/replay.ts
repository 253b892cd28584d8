// A logged episode played again from its seed and actions: for checking, and for looking at. Trusts no claim of the log.
import { advance, cut, observe, reset, type EndReason, type Episode } from '../../games/episode.ts';
import type { Game } from '../../games/contract.ts';
import { findGame } from '../../games/registry.ts';
import { CodedError } from '../errors.ts';
import type { EpisodeEvent } from '../log/events.ts';

export interface ReplayedStep {
  /** Before the action. */
  board: string;
  observation: string;
  valid: boolean;
  feedback: string;
  reward: number;
}

export interface Replay {
  instance: string;
  cluster: string | undefined;
  steps: ReplayedStep[];
  /** After the last action. */
  board: string;
  observation: string;
  score: number;
  success: boolean;
  end: EndReason | null;
}

type Replayable = Pick<
  EpisodeEvent,
  'game' | 'preset' | 'phase' | 'seed' | 'role' | 'split' | 'options' | 'endReason'
> & {
  steps: readonly { action: string | null }[];
};

/** Errors: game/unknown. Actions after the end are not played. */
export function replay(event: Replayable): Replay {
  const game: Game | undefined = findGame(event.game);
  if (!game) throw new CodedError('game/unknown', `no game ${event.game}`, 'the log was made with another build');
  const { preset, phase, seed, role, split, options } = event;
  let episode: Episode = reset(game, { preset, phase, seed, role, split, options });
  const cluster = game.cluster?.(episode.config, episode.state);
  const steps: ReplayedStep[] = [];
  for (const { action } of event.steps) {
    if (episode.end) break;
    const [board, observation] = [observe(episode, 'board'), observe(episode)];
    const next = advance(episode, action);
    episode = next.episode;
    const { valid, feedback, reward } = next.report;
    steps.push({ board, observation, valid, feedback, reward });
  }
  if (event.endReason === 'context' && !episode.end) {
    const next = cut(episode);
    episode = next.episode;
    const last = steps.at(-1);
    if (last) last.reward += next.report.reward;
  }
  const { instance, score, success, end } = episode;
  return {
    instance,
    cluster,
    steps,
    board: observe(episode, 'board'),
    observation: observe(episode),
    score,
    success,
    end,
  };
}
