// A logged episode played again from its seed and actions: for checking, and for looking at. Trusts no claim of the log.
import { observe, played, reset, type EndReason, type Episode } from '../../games/episode.ts';
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
  feedback: string;
  stepCap: number;
  /** What was hidden from the agent, in words; null where nothing was. */
  hidden: string | null;
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
  const spec = { preset, phase, seed, role, split, options };
  const actions = event.steps.map(({ action }) => action);
  let episode: Episode = reset(game, spec);
  const cluster = game.cluster?.(episode.config, episode.state);
  const steps: ReplayedStep[] = [];
  for (const { before, after, report } of played(episode, actions, event.endReason === 'context')) {
    episode = after;
    if (report.truncated === 'context') {
      // The end rule's change belongs to the last step that was played.
      const last = steps.at(-1);
      if (last) last.reward += report.reward;
      continue;
    }
    const { valid, feedback, reward } = report;
    steps.push({ board: observe(before, 'board'), observation: observe(before), valid, feedback, reward });
  }
  const { instance, score, success, end, feedback, config, state } = episode;
  return {
    instance,
    cluster,
    steps,
    board: observe(episode, 'board'),
    observation: observe(episode),
    feedback,
    stepCap: config.stepCap,
    hidden: game.reveal?.(config, state) ?? null,
    score,
    success,
    end,
  };
}
