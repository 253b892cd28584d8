// Boards of a logged episode, by replay with the game itself. Where the game is unknown here, what was logged is shown.
import { findGame } from '../../../games/registry.ts';
import { replay } from '../../gym/replay.ts';
import type { EpisodeEvent } from '../../log/events.ts';
import type { Replayed, ReplayFrame } from './contract.ts';

export function framesOf(event: EpisodeEvent): Replayed {
  const logged = event.steps.map(({ observation, action, selfScore, reward, feedback }) => ({
    ...{ observation, action, selfScore, reward, feedback },
  }));
  const last = { observation: '', action: null, selfScore: null, reward: null, feedback: '' };
  if (!findGame(event.game)) {
    const frames: ReplayFrame[] = logged.map((step) => ({ ...step, board: step.observation }));
    return {
      frames: [...frames, { ...last, board: frames.at(-1)?.board ?? '' }],
      stepCap: logged.length,
      hidden: null,
    };
  }
  // Fewer steps than were logged: a log that does not replay; `verify` names the line.
  const { steps, board, observation, feedback, stepCap, hidden } = replay(event);
  const frames = steps.map((step, i): ReplayFrame => ({ ...logged[i]!, board: step.board }));
  return { frames: [...frames, { ...last, board, observation, feedback }], stepCap, hidden };
}
