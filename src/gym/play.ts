// Plays episodes: many side by side against one model, each step one completion that gives action and score together.
// Knows no pathway; what an arm adds comes in as values and two hooks. Writes nothing.
import type { GameOptions, Phase, Preset, Role, Split } from '../../games/contract.ts';
import { CodedError, toErrorValue } from '../errors.ts';
import type { EpisodeEvent, Step } from '../log/events.ts';
import type { Completion, CompletionRequest, LanguageModel } from '../models/types.ts';
import { answerGrammar, parseAnswer, type MaskMode } from './answer.ts';
import { cutTail, type Budget, type ContextShares } from './budget.ts';
import { samplingOf } from './decoding.ts';
import type { GameHost, GameReport, GameStart } from './host.ts';
import type { Live } from './live.ts';
import type { Arm } from './plugin.ts';
import { actionPrompt, pocketHead, stateText, type PromptBlocks, type Turn } from './prompts.ts';
import { stepSeed } from './seeds.ts';

export interface EpisodePlan {
  runSeed: number;
  pathway: string;
  game: string;
  preset: Preset;
  phase: Phase;
  role: Role;
  split: Split;
  options: GameOptions;
  replicate: number;
  index: number;
  seed: number;
  /** May depend on the instance, which is known after the reset. */
  decodeSeed: (instance: string) => number;
  temperature: number;
  checkpoint: number;
  adapter: string | null;
  memory: string | null;
  blocks: PromptBlocks;
}

export interface PlayRules {
  shares: ContextShares;
  greedyScore: boolean;
  maskMode: MaskMode;
  budget: Budget;
  /** Episodes side by side. */
  width: number;
}

/** What an arm does while it plays, and what it may see of the game. */
export type PlayHooks = Pick<Arm, 'act' | 'judge' | 'judgeSteps'> & { readsExpert: boolean; readsReward: boolean };

/** A finished step with its whole prompt; the log stores the prompt by reference (log/prompts.ts). */
export interface PlayedStep extends Omit<Step, 'prompt' | 'promptTokens'> {
  /** Texts in it that are likely to occur again (rules and hints). */
  promptBlocks: string[];
  promptText: string;
  promptIds: number[];
}

export type PlayedEpisode = Omit<EpisodeEvent, 'type' | 'n' | 'prev' | 'steps'> & { steps: PlayedStep[] };

export type PlayItem = { live: Live } | { played: PlayedEpisode };

/**
 * Yields finished episodes in the order of the plans. A game that hangs or throws ends its episode as `failed`;
 * errors of the model end the run. Throws worker/aborted when the signal fires.
 */
export async function* playEpisodes(
  plans: readonly EpisodePlan[],
  hooks: PlayHooks,
  model: LanguageModel,
  host: GameHost,
  rules: PlayRules,
  signal?: AbortSignal,
): AsyncGenerator<PlayItem, void> {
  const finished = new Map<number, PlayedEpisode>();
  const waiting = plans.map((plan, i) => ({ plan, i }));
  const active: Running[] = [];
  let next = 0;
  while (next < plans.length) {
    while (active.length < rules.width && waiting.length > 0) {
      const { plan, i } = waiting.shift()!;
      active.push(await begin(plan, i, host));
    }
    const asking = active.filter((running) => !running.done);
    const asked = await Promise.all(
      asking.map(async (running) => {
        const requests: CompletionRequest[] = [];
        await orFail(running, async () => {
          const one = await request(running, hooks, host, rules);
          // Counted before it is asked: a prompt that does not fit is not worth an answer.
          if (one) requests.push(one);
          else await tooLong(running, host);
        });
        return requests;
      }),
    );
    const ready = asking.filter((_, k) => asked[k]!.length > 0);
    if (ready.length > 0) {
      const requests = asked.flat();
      const startedMs = performance.now();
      const completions = await model.complete(requests, signal);
      const decodeMs = (performance.now() - startedMs) / ready.length;
      if (signal?.aborted || completions.some((completion) => completion.finish === 'aborted')) {
        throw new CodedError('worker/aborted', 'the run was interrupted');
      }
      await Promise.all(ready.map((running, k) => apply(running, completions[k]!, hooks, host, rules, decodeMs)));
      if (hooks.judgeSteps) await judgeNewest(ready, hooks.judgeSteps);
      const watched = ready[0]!;
      if (watched.lastLive) yield { live: watched.lastLive };
    }
    for (const running of active.filter((one) => one.done)) {
      finished.set(running.i, conclude(running));
      active.splice(active.indexOf(running), 1);
      if (running.start) await host.release(running.start.id);
    }
    for (; finished.has(next); next++) {
      yield { played: finished.get(next)! };
      finished.delete(next);
    }
  }
}

interface Running {
  plan: EpisodePlan;
  i: number;
  start: GameStart | null;
  decodeSeed: number;
  observation: string;
  board: string;
  feedback: string;
  turns: Turn[];
  steps: PlayedStep[];
  /** What a separate judge has scored so far. */
  judged: { state: string; action: string; score: number | null }[];
  /** Steps that a judge was shown, or passed over. */
  judgedUpTo: number;
  report: GameReport | null;
  failure: { code: string; message: string } | null;
  /** What the current request cut from the hints. */
  cut: Step['cut'];
  blocks: string[];
  done: boolean;
  lastLive: Live | null;
  startedMs: number;
}

async function begin(plan: EpisodePlan, i: number, host: GameHost): Promise<Running> {
  const running: Running = {
    plan,
    i,
    start: null,
    decodeSeed: 0,
    observation: '',
    board: '',
    feedback: '',
    turns: [],
    steps: [],
    judged: [],
    judgedUpTo: 0,
    report: null,
    failure: null,
    cut: undefined,
    blocks: [],
    done: false,
    lastLive: null,
    startedMs: performance.now(),
  };
  const { game, preset, phase, seed, role, split, options } = plan;
  await orFail(running, async () => {
    running.start = await host.reset({ game, preset, phase, seed, role, split, options });
    running.observation = running.start.observation;
    running.board = running.start.board;
    running.decodeSeed = plan.decodeSeed(running.start.instance);
  });
  return running;
}

/** A game's fault is data of its episode; anything else is not for us to swallow. */
async function orFail(running: Running, work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    const value = toErrorValue(error, 'worker/unknown');
    if (!value.code.startsWith('game/')) throw error;
    running.failure = { code: value.code, message: value.message };
    running.done = true;
  }
}

/** null where the prompt is longer than it may be. */
async function request(
  running: Running,
  hooks: Pick<Arm, 'act'> & { readsExpert: boolean },
  host: GameHost,
  rules: PlayRules,
): Promise<CompletionRequest | null> {
  const { prompt: most, answer: maxTokens } = rules.shares;
  const { plan, start, turns } = running;
  const state = stateText(running.feedback, running.observation);
  let blocks = plan.blocks;
  running.cut = undefined;
  if (plan.preset === 'paper' && blocks.hints) {
    // With the hints' heading, which no prompt without hints has.
    const bare = actionPrompt('paper', start!.rules, { ...blocks, hints: '\n' }, turns, state);
    const fitted = await cutTail(blocks.hints, bare, most, rules.budget);
    running.cut = fitted.cut;
    blocks = { ...blocks, hints: fitted.text };
  }
  const parts = actionPrompt(plan.preset, start!.rules, blocks, turns, state);
  if (await rules.budget.exceeds(parts, most)) return null;
  running.blocks =
    plan.preset === 'pocket'
      ? [pocketHead(start!.rules, blocks)]
      : [blocks.hints, start!.rules].filter((text): text is string => text !== undefined);
  const facts = { observation: running.observation, expert: hooks.readsExpert ? () => host.expert(start!.id) : null };
  const action = plan.phase === 'explore' ? ((await hooks.act?.(facts)) ?? null) : null;
  return {
    parts,
    adapter: plan.adapter,
    ...(action === null ? {} : { forced: ` Answer: ${action}, Score:` }),
    ...(rules.maskMode === 'off' ? {} : { grammar: answerGrammar(rules.maskMode, start!.grammar) }),
    sampling: samplingOf(plan.preset, {
      temperature: plan.temperature,
      seed: stepSeed(running.decodeSeed, running.steps.length),
      maxTokens,
      greedyScore: rules.greedyScore && plan.phase === 'explore',
    }),
  };
}

async function apply(
  running: Running,
  completion: Completion,
  hooks: Pick<Arm, 'judge'> & { readsReward: boolean },
  host: GameHost,
  rules: PlayRules,
  decodeMs: number,
) {
  const { plan, start } = running;
  await orFail(running, async () => {
    // What the model adds to the parts (a beginning token, a chat's frame) is known only now.
    if (completion.finish === 'context' || completion.promptIds.length > rules.shares.prompt) {
      return tooLong(running, host);
    }
    const { action, score } = parseAnswer(completion.text);
    const report = await host.step(start!.id, action);
    const judged =
      plan.phase === 'explore' && hooks.judge
        ? hooks.judge({ action, selfScore: score, ...(hooks.readsReward ? { reward: report.reward } : {}) })
        : null;
    running.steps.push({
      observation: running.observation,
      promptBlocks: running.blocks,
      promptText: completion.promptText,
      promptIds: completion.promptIds,
      completion: completion.text,
      completionTokens: completion.ids,
      action,
      selfScore: score,
      judgeScore: judged,
      reward: report.reward,
      feedback: report.feedback,
      valid: report.valid,
      maskMode: rules.maskMode,
      maskedMass: completion.maskedMass,
      logprob: completion.logprob,
      finish: completion.finish,
      ...(running.cut ? { cut: running.cut } : {}),
      decodeMs,
    });
    running.turns.push({
      state: stateText(running.feedback, running.observation),
      ...spoken(completion),
      action,
      score,
    });
    running.lastLive = liveStep(running, completion, report);
    running.report = report;
    running.observation = report.observation;
    running.board = report.board;
    running.feedback = report.feedback;
    running.done = report.over;
  });
}

/** The episode ends: its prompt no longer fits. */
async function tooLong(running: Running, host: GameHost) {
  const report = await host.cut(running.start!.id);
  running.report = report;
  running.done = true;
  // The end rule's change belongs to the last step that was played.
  const last = running.steps.at(-1);
  if (last) last.reward += report.reward;
}

/** A judge pass over the steps that were just played; its scores never enter the agent's own transcript. */
async function judgeNewest(ready: readonly Running[], judgeSteps: NonNullable<Arm['judgeSteps']>) {
  const asked = ready.flatMap((running) => {
    const [step, turn] = [running.steps.at(-1), running.turns.at(-1)];
    // An episode that its context ended has no newer step than the one judged before.
    const fresh = running.steps.length > running.judgedUpTo;
    running.judgedUpTo = running.steps.length;
    const judged = running.plan.phase === 'explore' && fresh && !running.failure && typeof step?.action === 'string';
    return judged ? [{ running, step: step!, state: turn!.state, action: step!.action! }] : [];
  });
  if (asked.length === 0) return;
  const verdicts = await judgeSteps(
    asked.map(({ running, state, action }) => ({
      rules: running.start!.rules,
      before: [...running.judged],
      state,
      action,
    })),
  );
  for (const [i, { running, step, state, action }] of asked.entries()) {
    const { score, ...judge } = verdicts[i]!;
    Object.assign(step, { judgeScore: score, judge });
    running.judged.push({ state, action, score });
  }
}

/** The completion without what ends it (a newline, an end token): the next turn brings its own separator. */
function spoken(completion: Completion): { completion: string; ids: number[] } {
  const ids = [...completion.ids];
  const pieces = [...completion.pieces];
  while (pieces.length > 0 && pieces.at(-1)!.trim() === '') {
    pieces.pop();
    ids.pop();
  }
  return { completion: pieces.join(''), ids };
}

function liveStep(running: Running, completion: Completion, report: GameReport): Live {
  const { plan, start, steps } = running;
  const step = steps.at(-1)!;
  return {
    kind: 'step',
    pathway: plan.pathway,
    game: plan.game,
    phase: plan.phase,
    index: plan.index,
    step: steps.length,
    stepCap: start!.stepCap,
    observation: step.observation,
    board: running.board,
    prompt: completion.promptText,
    completion: completion.text,
    action: step.action,
    selfScore: step.selfScore,
    feedback: report.feedback,
    valid: report.valid,
    nextBoard: report.board,
    over: report.over,
    rewards: report.over ? steps.map((one) => one.reward) : null,
    score: report.over ? report.score : null,
  };
}

function conclude(running: Running): PlayedEpisode {
  const { plan, start, report, failure } = running;
  const { decodeSeed: _, blocks: __, ...facts } = plan;
  return {
    ...facts,
    options: { ...plan.options },
    decodeSeed: running.decodeSeed,
    instance: start?.instance ?? '0'.repeat(64),
    ...(start?.cluster === undefined ? {} : { cluster: start.cluster }),
    steps: running.steps,
    score: report?.score ?? 0,
    success: failure ? false : (report?.success ?? false),
    endReason: failure ? 'failed' : (report?.endReason ?? 'failed'),
    ...(failure ? { failure } : {}),
    playMs: performance.now() - running.startedMs,
  };
}
