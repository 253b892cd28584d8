// How the gym plays: episodes behind asynchronous calls, so that a game may live in a disposable worker (workers/) or
// in this process (`localGameHost`). Knows nothing of models, prompts or logs.
import type { Game, Role } from '../../games/contract.ts';
import { advance, cut, observe, reset, type EndReason, type Episode, type StepReport } from '../../games/episode.ts';
import type { InstanceSpec } from '../../games/instance.ts';
import { findGame } from '../../games/registry.ts';
import { stream } from '../../games/rng.ts';
import { CodedError } from '../errors.ts';

export interface GameSpec extends InstanceSpec {
  /** `snake-v1`, or the bare name. */
  game: string;
}

export interface GameStart {
  /** Names the episode in the calls that follow. */
  id: string;
  /** Hash of the instance's content. */
  instance: string;
  role: Role;
  /** What intervals are clustered by, where the game has it. */
  cluster?: string;
  rules: string;
  guidance: string;
  /** Source of a regular expression for one action. */
  grammar: string;
  stepCap: number;
  /** The state's text for the agent, in the preset's view. */
  observation: string;
  /** The drawn view, for people. */
  board: string;
}

export interface GameReport {
  observation: string;
  board: string;
  feedback: string;
  valid: boolean;
  terminated: boolean;
  truncated: StepReport['truncated'];
  over: boolean;
  /** Verifier's, as are score and success. Benchmark only. */
  reward: number;
  score: number;
  success: boolean;
  endReason: EndReason | null;
}

/** Errors: game/unknown, game/no-episode, game/over, game/threw; game/hung and worker/… where it runs in a worker. */
export interface GameHost {
  reset(spec: GameSpec): Promise<GameStart>;
  /** `null`: the completion had no answer line. */
  step(id: string, action: string | null): Promise<GameReport>;
  /** Ends an episode whose prompt no longer fits the context. */
  cut(id: string): Promise<GameReport>;
  expert(id: string): Promise<string>;
  /** Legal actions where they can be listed. */
  actions(id: string): Promise<string[] | null>;
  /** The episode will not be asked for again. Unknown ids are ignored. */
  release(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Episodes in this process: no protection against a game that loops for ever. */
export function localGameHost(find: (name: string) => Game | undefined = findGame): GameHost {
  const episodes = new Map<string, { episode: Episode; seed: number | string }>();
  let next = 0;

  const held = (id: string) => {
    const found = episodes.get(id);
    if (!found) throw new CodedError('game/no-episode', `no episode ${id}`, 'it was released, or never reset');
    return found;
  };
  const play = (id: string, move: (episode: Episode) => { episode: Episode; report: StepReport }): GameReport => {
    const place = held(id);
    if (place.episode.end) throw new CodedError('game/over', `episode ${id} is over`, 'reset a new one');
    const { episode, report } = guarded(place.episode.game.id, () => move(place.episode));
    place.episode = episode;
    return guarded(episode.game.id, () => reportOf(episode, report));
  };

  return {
    async reset(spec) {
      const game = find(spec.game);
      if (!game) throw new CodedError('game/unknown', `no game ${spec.game}`, 'the games are listed by `s3 env` list');
      const episode = guarded(game.id, () => reset(game, spec));
      const id = `e${next++}`;
      const start = guarded(game.id, () => startOf(id, episode));
      episodes.set(id, { episode, seed: spec.seed });
      return start;
    },
    step: async (id, action) => play(id, (episode) => advance(episode, action)),
    cut: async (id) => play(id, cut),
    async expert(id) {
      const { episode, seed } = held(id);
      const { game, config, state, steps } = episode;
      return guarded(game.id, () => game.expert(config, state, stream(seed, game.id, 'expert', steps)));
    },
    async actions(id) {
      const { game, config, state } = held(id).episode;
      return guarded(game.id, () => game.actions(config, state));
    },
    async release(id) {
      episodes.delete(id);
    },
    async close() {
      episodes.clear();
    },
  };
}

function startOf(id: string, episode: Episode): GameStart {
  const { game, config, instance, role, state } = episode;
  const cluster = game.cluster?.(config, state);
  return {
    id,
    instance,
    role,
    ...(cluster === undefined ? {} : { cluster }),
    rules: game.rules(config),
    guidance: game.guidance(config),
    grammar: game.grammar(config),
    stepCap: config.stepCap,
    observation: observe(episode),
    board: observe(episode, 'board'),
  };
}

function reportOf(episode: Episode, report: StepReport): GameReport {
  return {
    observation: observe(episode),
    board: observe(episode, 'board'),
    feedback: report.feedback,
    valid: report.valid,
    terminated: report.terminated,
    truncated: report.truncated,
    over: episode.end !== null,
    reward: report.reward,
    score: episode.score,
    success: episode.success,
    endReason: episode.end,
  };
}

function guarded<T>(game: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    throw new CodedError('game/threw', `${game}: ${message}`, 'a game must answer every text', stack);
  }
}
