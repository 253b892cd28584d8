// What a model makes of each slot of the prompt, on development instances: with the right content, with none, with the
// wrong one. A slot is read where right beats none, or none beats wrong.
import type { Game } from '../../../games/contract.ts';
import { advance } from '../../../games/episode.ts';
import { stream } from '../../../games/rng.ts';
import { parseAnswer } from '../../gym/answer.ts';
import { samplingOf } from '../../gym/decoding.ts';
import { judgeAll } from '../../gym/judging.ts';
import { episodeLines } from '../../gym/memory.ts';
import { correctionPrompt, type PromptBlocks } from '../../gym/prompts.ts';
import type { LanguageModel } from '../../models/types.ts';
import { estimate } from '../../report/interval.ts';
import { goalText, noteOf, stateBefore } from './corpus.ts';
import { playDevelopment } from './develop.ts';
import { playEpisode, PRESET, pure, ranked, replayTo } from './play.ts';

export interface Difference {
  mean: number;
  lo: number | null;
  hi: number | null;
}

export interface Probe {
  game: string;
  slot: string;
  /** Means with the right content, with none, with the wrong one. */
  right: number;
  none: number;
  wrong: number;
  rightMinusNone: Difference;
  noneMinusWrong: Difference;
}

type Three = Record<'right' | 'none' | 'wrong', readonly number[]>;

/**
 * Tips, History, Note and Goal: strict scores of `count` episodes with the content of the expert, and of the weakest
 * strategy. Judge and Correct: see `situations`. Errors: what the model throws.
 */
export async function* probesOf(game: Game, model: LanguageModel, count: number): AsyncGenerator<Probe> {
  const weakest = ranked(game)[0]!;
  const blocks: Record<string, (strategy: string) => PromptBlocks> = {
    Tips: (strategy) => ({ hints: game.tips![strategy]! }),
    History: (strategy) => ({ hints: historyOf(game, strategy) }),
    Note: (strategy) => ({ note: noteOf(game, strategy) }),
    Goal: (strategy) => ({ goal: goalText(game, 'strict', meanTotal(game, strategy)) }),
  };
  const play = async (given: PromptBlocks) => playDevelopment(game, model, count, given);
  const none = await play({});
  const clusters = none.map(({ cluster, instance }) => cluster ?? instance);
  const scores = async (given: PromptBlocks) => (await play(given)).map(({ score }) => score);
  for (const [slot, blocksOf] of Object.entries(blocks)) {
    yield probe(game, slot, clusters, {
      right: await scores(blocksOf('expert')),
      none: none.map(({ score }) => score),
      wrong: await scores(blocksOf(weakest)),
    });
  }
  const found = situations(game, count);
  if (found.length < 2) return;
  yield probe(game, 'Judge', ids(found), await judged(game, found, model));
  yield probe(game, 'Correct', ids(found), await corrected(game, found, model));
}

const ids = (list: readonly unknown[]): string[] => list.map((_, i) => String(i));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function probe(game: Game, slot: string, clusters: readonly string[], { right, none, wrong }: Three): Probe {
  const difference = (a: readonly number[], b: readonly number[]): Difference =>
    estimate(a.map((value, i) => ({ value: value - b[i]!, run: 0, cluster: clusters[i]! })))!;
  return {
    ...{ game: game.id, slot, right: mean(right), none: mean(none), wrong: mean(wrong) },
    rightMinusNone: difference(right, none),
    noneMinusWrong: difference(none, wrong),
  };
}

const explored = (game: Game, strategy: string, seed: string) =>
  playEpisode(game, { phase: 'explore', way: pure(strategy), noise: 0, role: 'development' }, seed);

/** Two permissive episodes as a history shows them. */
const historyOf = (game: Game, strategy: string): string =>
  [0, 1]
    .map((index) => episodeLines({ index, steps: explored(game, strategy, `history ${index}`).steps, total: 0 }))
    .join('\n');

const meanTotal = (game: Game, strategy: string): number =>
  mean(Array.from({ length: 10 }, (_, i) => explored(game, strategy, `goal ${i}`).total));

type Situation = ReturnType<typeof situations>[number];

/**
 * States on the way of a middling player in which moves differ in their true reward: the best of them, the worst, and one
 * drawn at random. Judge: the model's scores of the three. Correct: the true reward of the action that the model gives
 * instead of the worst, beside the random one's and the worst one's.
 */
function situations(game: Game, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const rng = stream('probe', game.id, i);
    const seed = `judge ${i}`;
    const { steps } = explored(game, 'expertHalf', seed);
    const at = rng.int(steps.length);
    const episode = replayTo(game, 'explore', seed, steps.slice(0, at), 'development');
    const actions = (game.actions(episode.config, episode.state) ?? []).slice(0, 40);
    for (const strategy of Object.values(game.strategies!)) {
      actions.push(strategy(episode.config, episode.state, rng));
    }
    const options = [...new Set(actions)].map((action) => ({ action, reward: advance(episode, action).report.reward }));
    options.sort((a, b) => a.reward - b.reward);
    return { steps, at, episode, low: options[0]!, high: options.at(-1)!, middle: rng.pick(options) };
  }).filter(({ low, high }) => high.reward > low.reward);
}

async function judged(game: Game, found: readonly Situation[], model: LanguageModel): Promise<Three> {
  const rules = game.rules(game.configs[PRESET].explore);
  const scores = async (which: 'high' | 'middle' | 'low') => {
    const proposals = found.map(({ steps, at, ...options }) => ({
      rules,
      before: steps.slice(0, at).map((step, i) => ({
        state: stateBefore(steps, i),
        action: step.action!,
        score: step.score ?? null,
      })),
      state: stateBefore(steps, at),
      action: options[which].action,
    }));
    // A judge that gives no number gives no credit.
    return (await judgeAll(proposals, model)).map(({ score }) => score ?? 0);
  };
  return { right: await scores('high'), none: await scores('middle'), wrong: await scores('low') };
}

const ANSWER_TOKENS = 48;

async function corrected(game: Game, found: readonly Situation[], model: LanguageModel): Promise<Three> {
  const rules = game.rules(game.configs[PRESET].explore);
  const answers = await model.complete(
    found.map(({ steps, at, low }, seed) => ({
      parts: correctionPrompt(rules, stateBefore(steps, at), low.action, low.reward),
      adapter: null,
      sampling: samplingOf(PRESET, { temperature: 0, seed, maxTokens: ANSWER_TOKENS }),
    })),
  );
  return {
    right: answers.map(({ text }, i) => advance(found[i]!.episode, parseAnswer(text).action).report.reward),
    none: found.map(({ middle }) => middle.reward),
    wrong: found.map(({ low }) => low.reward),
  };
}
