// Documents for pretraining nano: learning histories in exactly the prompts that the gym builds. An episode follows one
// named strategy of its game; hints, where there are any, tell which (docs/LOG.md says what the shares came from).
// Only instances whose role is pretraining; scores are the true immediate rewards, in some documents with noise.
import type { Game, Phase, Preset, Rng } from '../../../games/contract.ts';
import { advance, observe, reset, type Episode } from '../../../games/episode.ts';
import { stream } from '../../../games/rng.ts';
import { formatAnswer } from '../../gym/answer.ts';
import type { ExperienceStep } from '../../gym/experience.ts';
import { episodeLines } from '../../gym/memory.ts';
import { correctionPrompt, pocketHead, stateText, summaryPrompt } from '../../gym/prompts.ts';

/** Text in pieces, as the gym encodes them, with the weight of the loss on each piece's tokens. */
export interface Piece {
  text: string;
  weight: number;
}
export type Document = Piece[];

interface Played {
  steps: ExperienceStep[];
  strategy: string;
  /** Sum of the scores as shown, which is what a reader of the history can go by. */
  shown: number;
}

const PRESET: Preset = 'pocket';
const NOISE = [0, 0, 0.1, 0.3];
/** How often a permissive episode holds an invalid answer at some step; such answers are shown, never learnt. */
const INVALID = 0.02;

/**
 * Answers of earlier episodes are learnt too, at a lower weight: they are most of a history's tokens, and predicting them
 * teaches to tell strategies apart. A tip is a few tokens among many, so it weighs more.
 */
const EARLIER = 0.5;
const TIP = 4;

/** Shares of the kinds of documents. */
export const KINDS = { plain: 0.27, tips: 0.25, history: 0.33, summary: 0.12, correct: 0.03 } as const;

export function makeDocument(game: Game, seed: number | string): Document {
  const rng = stream(seed, 'document');
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const kind = kinds[rng.weighted(kinds.map((name) => KINDS[name]))]!;
  const phase: Phase = rng.next() < 0.5 ? 'explore' : 'strict';
  const noise = rng.pick(NOISE);
  const names = Object.keys(game.strategies ?? {});
  const strategy = drawStrategy(names, rng);
  const play = (name: string, where: Phase, n: number) =>
    playEpisode(game, where, name, noise, stream(seed, 'play', n), `${seed} ${n}`);
  const rules = game.rules(game.configs[PRESET][phase]);
  switch (kind) {
    case 'plain':
      return transcript(rules, {}, play(strategy, phase, 0));
    case 'tips':
      return transcript(rules, { hints: game.tips![strategy]! }, play(strategy, phase, 0));
    case 'history': {
      const earlier = earlierEpisodes(names, rng, play);
      const best = earlier.reduce((a, b) => (b.shown >= a.shown ? b : a));
      const follow = rng.next() < 0.9 ? best.strategy : rng.pick(earlier).strategy;
      return transcript(rules, { hints: historyText(earlier) }, play(follow, phase, 9));
    }
    case 'summary': {
      const earlier = earlierEpisodes(names, rng, play);
      const best = earlier.reduce((a, b) => (b.shown >= a.shown ? b : a));
      const tips = rng.next() < 0.5 ? game.tips![drawStrategy(names, rng)]! : '';
      const explore = game.rules(game.configs[PRESET].explore);
      const [part] = summaryPrompt(explore, tips, historyText(earlier));
      return [
        ...answersIn(part!.role === 'user' ? part!.plain : part!.text),
        { text: ` ${game.tips![best.strategy]!}\n`, weight: TIP },
      ];
    }
    case 'correct': {
      // Another action than the shown one, as the expert would choose if it differs.
      const { steps } = play('random', 'explore', 0);
      const at = rng.int(steps.length);
      const episode = replayTo(game, `${seed} 0`, steps.slice(0, at));
      const expert = game.expert(episode.config, episode.state, rng);
      const others = (game.actions(episode.config, episode.state) ?? [expert]).filter(
        (one) => one !== steps[at]!.action,
      );
      const action = expert !== steps[at]!.action || others.length === 0 ? expert : rng.pick(others);
      const before = at === 0 ? '' : steps[at - 1]!.feedback;
      const state = stateText(before, steps[at]!.observation!);
      const [part] = correctionPrompt(game.rules(episode.config), state, steps[at]!.action, steps[at]!.score ?? null);
      const { report } = advance(episode, action);
      return [
        { text: part!.role === 'user' ? part!.plain : part!.text, weight: 0 },
        { text: ` ${formatAnswer(action, report.reward)}\n`, weight: 1 },
      ];
    }
    default:
      return kind satisfies never;
  }
}

/** Good play is over-represented, so that the best that was taught is worth choosing. */
function drawStrategy(names: readonly string[], rng: Rng): string {
  return rng.next() < 0.2 ? 'expert' : rng.pick(names);
}

/** One to four earlier episodes, of at most so many steps together that a document stays within nano's context. */
const EARLIER_STEPS = 48;

function earlierEpisodes(
  names: readonly string[],
  rng: Rng,
  play: (name: string, phase: Phase, n: number) => Played,
): Played[] {
  const count = 1 + rng.int(4);
  const episodes: Played[] = [];
  for (let steps = 0; episodes.length < count;) {
    const episode = play(drawStrategy(names, rng), 'explore', episodes.length + 1);
    steps += episode.steps.length;
    if (episodes.length > 0 && steps > EARLIER_STEPS) break;
    episodes.push(episode);
  }
  return episodes;
}

const historyText = (episodes: readonly Played[]): string =>
  episodes.map((episode, index) => episodeLines({ index, steps: episode.steps, total: 0 })).join('\n');

/** A text cut around the answers in it, so that they carry weight. */
const answersIn = (text: string): Document =>
  text
    .split(/(?<=\nLLM:)( [^\n]*)/)
    .map((piece, i) => ({ text: piece, weight: i % 2 === 1 ? EARLIER : 0 }))
    .filter((piece) => piece.text !== '');

function playEpisode(game: Game, phase: Phase, strategy: string, noise: number, rng: Rng, seed: string): Played {
  let episode = reset(game, { preset: PRESET, phase, seed, role: 'pretraining' });
  const [low, high] = episode.config.stepRewardBounds;
  const steps: ExperienceStep[] = [];
  while (!episode.end) {
    const observation = observe(episode);
    const slip = phase === 'explore' && rng.next() < INVALID;
    const action = slip
      ? rng.pick(['none', 'any', 'next'])
      : game.strategies![strategy]!(episode.config, episode.state, rng);
    const next = advance(episode, action);
    const { reward, valid, feedback } = next.report;
    // A noisy judge says one of the bounds' whole numbers instead.
    const score = rng.next() < noise ? low + rng.int(Math.floor(high - low) + 1) : reward;
    steps.push({ step: steps.length, observation, action, score, valid, feedback });
    episode = next.episode;
  }
  return { steps, strategy, shown: steps.reduce((sum, step) => sum + (step.score ?? 0), 0) };
}

function replayTo(game: Game, seed: string, steps: readonly ExperienceStep[]): Episode {
  let episode = reset(game, { preset: PRESET, phase: 'explore', seed, role: 'pretraining' });
  for (const { action } of steps) episode = advance(episode, action).episode;
  return episode;
}

/** The growing transcript of an episode, in the pieces in which the gym encodes it. */
function transcript(rules: string, blocks: { hints?: string }, { steps }: Played): Document {
  const document: Document = answersIn(pocketHead(rules, blocks));
  for (const [i, step] of steps.entries()) {
    const before = i === 0 ? '' : steps[i - 1]!.feedback;
    document.push({ text: `\nEnv: ${stateText(before, step.observation!)}\nLLM:`, weight: 0 });
    document.push({ text: ` ${formatAnswer(step.action, step.score ?? null)}`, weight: step.valid ? 1 : 0 });
    // What ends an answer is the next turn's first token, as in the gym; the last answer ends by itself.
    if (i === steps.length - 1) document.push({ text: '\n', weight: 1 });
  }
  return document;
}
