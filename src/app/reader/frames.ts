// Boards of a logged episode, by replay with the game itself. Where the game is unknown here, what was logged is shown.
import { advance, cut, observe, reset } from '../../../games/episode.ts';
import { findGame } from '../../../games/registry.ts';
import type { EpisodeEvent } from '../../log/events.ts';
import type { ReplayFrame } from '../../workers/contract.ts';
import type { Replayed } from './contract.ts';

export function framesOf(event: EpisodeEvent): Replayed {
  const game = findGame(event.game);
  const logged = event.steps.map((step) => ({
    observation: step.observation,
    action: step.action,
    selfScore: step.selfScore,
    reward: step.reward,
    feedback: step.feedback,
  }));
  const last = { observation: '', action: null, selfScore: null, reward: null, feedback: '' };
  if (!game) {
    const boards = logged.map((step) => ({ ...step, board: step.observation }));
    return {
      frames: [...boards, { ...last, board: boards.at(-1)?.board ?? '' }],
      stepCap: logged.length,
      hidden: null,
    };
  }
  const { preset, phase, seed, role, split, options } = event;
  let episode = reset(game, { preset, phase, seed, role, split, options });
  const frames: ReplayFrame[] = [];
  for (const step of logged) {
    frames.push({ ...step, board: observe(episode, 'board') });
    if (episode.end) break; // a log that does not replay; `verify` names the line
    episode = advance(episode, step.action).episode;
  }
  if (event.endReason === 'context' && !episode.end) episode = cut(episode).episode;
  frames.push({ ...last, board: observe(episode, 'board'), observation: observe(episode), feedback: episode.feedback });
  const hidden = game.reveal?.(episode.config, episode.state) ?? null;
  return { frames, stepCap: episode.config.stepCap, hidden };
}
