// One episode of any game: the rules that all seven share (caps, invalid answers, END, end rules). An episode is a
// value; `advance` is pure. Knows nothing of models, prompts or memories.
import type { Game, GameConfig, Preset, Role, View } from './contract.ts';
import { INVALID_LIMIT } from './contract.ts';
import { drawInstance, type InstanceSpec } from './instance.ts';

/** Why an episode ended: by the game's rule, by an invalid answer, by END, at the step cap, or at a context limit. */
export type EndReason = 'rule' | 'invalid' | 'stopped' | 'steps' | 'context';

export interface Episode {
  readonly game: Game;
  readonly config: GameConfig;
  readonly instance: string;
  readonly role: Role;
  readonly state: unknown;
  readonly steps: number;
  readonly invalidInARow: number;
  readonly score: number;
  readonly success: boolean;
  readonly feedback: string;
  readonly end: EndReason | null;
}

export interface StepReport {
  valid: boolean;
  /** F: what the agent is told about its action. */
  feedback: string;
  terminated: boolean;
  truncated: false | 'steps' | 'context';
  /** Verifier's: y_i - y_(i-1). Benchmark only. */
  reward: number;
}

export function reset(game: Game, spec: InstanceSpec): Episode {
  const { id, role, config, content } = drawInstance(game, spec);
  const state = game.start(config, content);
  return {
    game,
    config,
    instance: id,
    role,
    state,
    steps: 0,
    invalidInARow: 0,
    score: game.score(config, state),
    success: game.success(config, state),
    feedback: '',
    end: null,
  };
}

/**
 * Applies one action. `null` means that no answer line was found. `END` stops the episode. Space around an action is
 * no part of it.
 * Throws RangeError when the episode is over.
 */
export function advance(episode: Episode, action: string | null): { episode: Episode; report: StepReport } {
  const { game, config } = episode;
  if (episode.end) throw new RangeError('the episode is over');
  const steps = episode.steps + 1;
  const text = action === null ? NO_ANSWER : action.trim();
  if (text.toUpperCase() === 'END') {
    return close(episode, { steps, feedback: 'stopped', valid: true, end: 'stopped', state: episode.state });
  }
  const outcome = game.step(config, episode.state, text);
  if (outcome.valid) {
    const end: EndReason | null = outcome.terminated ? 'rule' : steps >= config.stepCap ? 'steps' : null;
    return close(episode, { steps, feedback: outcome.feedback, valid: true, end, state: outcome.state });
  }
  const invalidInARow = episode.invalidInARow + 1;
  const state = outcome.state ?? episode.state;
  const reason = action === null ? 'no answer line' : outcome.reason;
  let end: EndReason | null = null;
  if (config.phase === 'strict' || invalidInARow >= INVALID_LIMIT) end = 'invalid';
  else if (outcome.terminated) end = 'rule';
  else if (steps >= config.stepCap) end = 'steps';
  return close(episode, { steps, feedback: `invalid: ${reason}`, valid: false, end, state, invalidInARow });
}

/** Ends an episode whose prompt no longer fits the context. */
export function cut(episode: Episode): { episode: Episode; report: StepReport } {
  const { steps, state, feedback } = episode;
  return close(episode, { steps, feedback, valid: true, end: 'context', state });
}

/** The text of the state as the agent sees it. */
export function observe(episode: Episode, view: View = defaultView(episode.config.preset)): string {
  const board = episode.game.board(episode.config, episode.state);
  return view === 'board' ? board : episode.game.line(episode.config, board);
}

export const defaultView = (preset: Preset): View => (preset === 'pocket' ? 'line' : 'board');

// No grammar accepts a NUL, so a game sees a missing answer as an action that does not parse.
const NO_ANSWER = '\0';

interface Closing {
  steps: number;
  feedback: string;
  valid: boolean;
  end: EndReason | null;
  state: unknown;
  invalidInARow?: number;
}

function close(episode: Episode, after: Closing): { episode: Episode; report: StepReport } {
  const { game, config } = episode;
  const early = after.end !== null && after.end !== 'rule';
  const state = early && game.finish ? game.finish(config, after.state) : after.state;
  const score = game.score(config, state);
  const broken = after.end === 'invalid' && config.phase === 'strict';
  const success = !broken && game.success(config, state);
  const next: Episode = {
    ...episode,
    state,
    steps: after.steps,
    invalidInARow: after.invalidInARow ?? 0,
    score,
    success,
    feedback: after.feedback,
    end: after.end,
  };
  return {
    episode: next,
    report: {
      valid: after.valid,
      feedback: after.feedback,
      terminated: after.end === 'rule' || after.end === 'invalid' || after.end === 'stopped',
      truncated: after.end === 'steps' || after.end === 'context' ? after.end : false,
      reward: score - episode.score,
    },
  };
}

export interface Move {
  before: Episode;
  after: Episode;
  report: StepReport;
}

/**
 * Plays actions one after another, until they or the episode end: what is left then is not played. `cutAtEnd`: one more
 * move, for an episode that its context ended.
 */
export function* played(
  start: Episode,
  actions: readonly (string | null)[],
  cutAtEnd = false,
): Generator<Move, void, undefined> {
  let before = start;
  const moves = [...actions.map((action) => () => advance(before, action)), ...(cutAtEnd ? [() => cut(before)] : [])];
  for (const move of moves) {
    if (before.end) return;
    const { episode: after, report } = move();
    yield { before, after, report };
    before = after;
  }
}

export interface Verified {
  score: number;
  success: boolean;
  rewards: number[];
  steps: number;
  end: EndReason | null;
  instance: string;
}

/** Replays actions from the seed; trusts nothing else. `steps` tells how many were played before the end. */
export function verify(
  game: Game,
  spec: InstanceSpec,
  actions: readonly (string | null)[],
  cutAtEnd = false,
): Verified {
  let episode = reset(game, spec);
  const rewards: number[] = [];
  for (const { after, report } of played(episode, actions, cutAtEnd)) {
    episode = after;
    if (report.truncated !== 'context') rewards.push(report.reward);
    else if (rewards.length > 0) rewards[rewards.length - 1]! += report.reward;
  }
  const { score, success, steps, end, instance } = episode;
  return { score, success, rewards, steps, end, instance };
}
