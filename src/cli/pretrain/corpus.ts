// Documents for pretraining nano: learning histories in exactly the prompts that the gym builds (docs/LOG.md says where
// the shares came from). Scores are the true immediate rewards, in some documents with noise.
import type { Game, Phase, Rng } from '../../../games/contract.ts';
import { advance } from '../../../games/episode.ts';
import { stream } from '../../../games/rng.ts';
import { formatAnswer, formatScore } from '../../gym/answer.ts';
import type { ExperienceStep } from '../../gym/experience.ts';
import { episodeLines } from '../../gym/memory.ts';
import {
  correctionPrompt,
  judgePrompt,
  pocketHead,
  stateText,
  summaryPrompt,
  type PromptBlocks,
} from '../../gym/prompts.ts';
import { mainly, playEpisode, PRESET, pure, ranked, replayTo, type Played, type Way } from './play.ts';

/** Text in pieces, as the gym encodes them, with the weight of the loss on each piece's tokens. */
export interface Piece {
  text: string;
  weight: number;
}
export type Document = Piece[];

const NOISE = [0, 0, 0.1, 0.3];

/**
 * Answers of earlier episodes are learnt too, at a lower weight: they are most of a history's tokens, and predicting them
 * teaches to tell strategies apart. A tip is a few tokens among many, so it weighs more.
 */
const EARLIER = 0.5;
const TIP = 4;

type Kind = 'plain' | 'tips' | 'note' | 'goal' | 'judge' | 'correct' | 'history' | 'summary';

/** Pretraining's first part, with short documents, and the rest. */
export type Part = 'skills' | 'histories';

/** Shares of the kinds of documents. */
export const SHARES: Record<Part, Record<Kind, number>> = {
  skills: { plain: 0.26, tips: 0.42, note: 0.06, goal: 0.06, judge: 0.06, correct: 0.02, history: 0.07, summary: 0.05 },
  histories: {
    plain: 0.2,
    tips: 0.17,
    note: 0.06,
    goal: 0.06,
    judge: 0.06,
    correct: 0.03,
    history: 0.3,
    summary: 0.12,
  },
};

/** Games whose learning histories are kept from nano: it sees random play in their format and nothing else. */
export const HELD_OUT: Readonly<Record<string, string>> = { 'minesweeper-v1': 'anyListed', 'nullify-v1': 'random' };

/**
 * The strategies that are taught, with distinct faults: a small model tells seven apart sooner than twelve. Left out are
 * near-doubles, and those that choose what their game's line view doesn't show, which no reader of it could follow.
 */
export const TAUGHT: Readonly<Record<string, readonly string[]>> = {
  'trust-v1': ['random', 'alwaysCollaborate', 'alwaysCheat', 'alternate', 'copy', 'grudge', 'copyCheatLast', 'expert'],
  'snake-v1': ['random', 'straight', 'clockwise', 'hugWall', 'avoidApples', 'greedyNearest', 'expert'],
  'tetris-v1': ['random', 'stackLeft', 'pileHigh', 'flatOnly', 'clearOrAny', 'lowest', 'expert'],
  'pvz-v1': ['anyListed', 'nothing', 'shooters', 'flowers', 'economy', 'walls', 'expert'],
  'chess-v1': ['random', 'stay', 'firstOnly', 'swapped', 'mixed', 'same', 'two', 'expert'],
};
const taught = (game: Game): readonly string[] => TAUGHT[game.id] ?? Object.keys(game.strategies!);

/** `mix`: which part's ways to play are mixed, where that is another. */
export function makeDocument(game: Game, seed: string, part: Part, mix: Part = part): Document {
  const rng = stream(seed, 'document');
  const shares = SHARES[part];
  const kinds = Object.keys(shares) as Kind[];
  const heldOut = HELD_OUT[game.id];
  const kind = heldOut ? 'plain' : kinds[rng.weighted(kinds.map((name) => shares[name]))]!;
  const phase: Phase = rng.next() < 0.5 ? 'explore' : 'strict';
  const noise = rng.pick(NOISE);
  const play = (way: Way, where: Phase, n: number) => playEpisode(game, { phase: where, way, noise }, `${seed} ${n}`);
  const rules = game.rules(game.configs[PRESET][phase]);
  switch (kind) {
    case 'plain':
      return transcript(rules, {}, play(heldOut ? pure(heldOut) : drawMixed(game, mix, rng), phase, 0));
    case 'tips': {
      const strategy = drawStrategy(game, rng);
      return transcript(rules, { hints: game.tips![strategy]! }, play(pure(strategy), phase, 0));
    }
    case 'note': {
      const strategy = drawStrategy(game, rng);
      const told = rng.next() < TRUE_NOTE ? strategy : drawStrategy(game, rng);
      return transcript(rules, { note: noteOf(game, told) }, play(pure(strategy), phase, 0));
    }
    case 'goal': {
      const played = play(drawMixed(game, mix, rng), phase, 0);
      return transcript(rules, { goal: goalText(game, phase, played.total) }, played);
    }
    case 'judge':
      return judged(rules, play(drawMixed(game, mix, rng), phase, 0));
    case 'correct':
      return corrected(game, play(pure('random'), 'explore', 0), `${seed} 0`, rng);
    case 'history': {
      const earlier = earlierEpisodes(game, mix, rng, play);
      return transcript(rules, { hints: historyText(earlier) }, play(after(earlier, rng), phase, 9));
    }
    case 'summary': {
      const earlier = earlierEpisodes(game, mix, rng, play);
      const tips = rng.next() < 0.5 ? game.tips![drawStrategy(game, rng)]! : '';
      const explore = game.rules(game.configs[PRESET].explore);
      const [prompt] = summaryPrompt(explore, tips, historyText(earlier));
      return [
        ...answersIn(prompt!.role === 'user' ? prompt!.plain : prompt!.text),
        { text: ` ${game.tips![mainly(best(earlier).way)]!}\n`, weight: TIP },
      ];
    }
    default:
      return kind satisfies never;
  }
}

/** How often a note names the way that the episode goes. */
const TRUE_NOTE = 0.8;

/** The last part of a strategy's tip: what to do next. */
export const noteOf = (game: Game, strategy: string): string => game.tips![strategy]!.replace(/^.* next: /, '');

/** What an episode is to reach, in the words of a goal: whole numbers, or tenths where a score is a share. */
export function goalText(game: Game, phase: Phase, total: number): string {
  const [low, high] = game.configs[PRESET][phase].scoreBounds;
  return `score ${formatScore(high - low <= 1 ? Math.round(total * 10) / 10 : Math.round(total))}`;
}

/** Good play is over-represented, so that the best that was taught is worth choosing. */
function drawStrategy(game: Game, rng: Rng): string {
  return rng.next() < 0.2 ? 'expert' : rng.pick(taught(game));
}

/**
 * One weak way a game that most mixed play falls back on once skills are there. So the likeliest move is not the best
 * one: a cooler sampler doesn't find what the scores of its own episodes tell.
 */
export const HABITS: Readonly<Record<string, string>> = {
  'trust-v1': 'alternate',
  'snake-v1': 'clockwise',
  'tetris-v1': 'pileHigh',
  'pvz-v1': 'shooters',
  'chess-v1': 'stay',
};
const HABIT = 0.75;

const SHARE_OF_GOOD = [0, 0.2, 0.35, 0.5, 0.75, 1];
const HOW_OFTEN: Record<Part, readonly number[]> = {
  skills: [0.15, 0.2, 0.2, 0.2, 0.15, 0.1],
  histories: [0.15, 0.25, 0.25, 0.2, 0.1, 0.05],
};

/** One of the strongest with one of the weaker half, mixed step by step; nearly all alone at times. */
function drawMixed(game: Game, part: Part, rng: Rng): Way {
  const ranking = ranked(game).filter((name) => taught(game).includes(name));
  const good = rng.next() < 0.5 ? 'expert' : ranking[ranking.length - 1 - rng.int(2)]!;
  const weak = ranking[rng.int(Math.floor(ranking.length * 0.6))]!;
  const share = SHARE_OF_GOOD[rng.weighted(HOW_OFTEN[part])]!;
  const habit = part === 'histories' && rng.next() < HABIT ? HABITS[game.id] : undefined;
  return { good, bad: habit ?? weak, share };
}

/** One to four earlier episodes, of at most so many words together that a document stays within nano's context. */
const EARLIER_WORDS = 1100;
const words = (text: string): number => text.match(/[\w.,-]+|[^\w\s]/g)?.length ?? 0;
/** How often earlier episodes stand in the order of their scores, as a learner's would. */
const RISING = 0.5;

function earlierEpisodes(
  game: Game,
  mix: Part,
  rng: Rng,
  play: (way: Way, phase: Phase, n: number) => Played,
): Played[] {
  const count = 1 + rng.int(4);
  // Half of the histories mix the same two strategies throughout, as one player's episodes do.
  const player = rng.next() < 0.5 ? drawMixed(game, mix, rng) : null;
  const episodes: Played[] = [];
  for (let length = 0; episodes.length < count;) {
    const way = player
      ? { ...player, share: rng.next() }
      : rng.next() < 0.5
        ? drawMixed(game, mix, rng)
        : pure(drawStrategy(game, rng));
    const episode = play(way, 'explore', episodes.length + 1);
    length += words(historyText([episode]));
    if (episodes.length > 0 && length > EARLIER_WORDS) break;
    episodes.push(episode);
  }
  return rng.next() < RISING ? episodes.sort((a, b) => a.shown - b.shown) : episodes;
}

const best = (episodes: readonly Played[]): Played => episodes.reduce((a, b) => (b.shown >= a.shown ? b : a));

/** A learner goes on like its best-scored episode, a step further; at times like any other. */
function after(episodes: readonly Played[], rng: Rng): Way {
  const { way } = rng.next() < 0.9 ? best(episodes) : rng.pick(episodes);
  return { ...way, share: Math.min(1, way.share + 0.3) };
}

const historyText = (episodes: readonly Played[]): string =>
  episodes.map((episode, index) => episodeLines({ index, steps: episode.steps, total: 0 })).join('\n');

/** A text cut around the answers in it, so that they carry weight. */
const answersIn = (text: string): Document =>
  text
    .split(/(?<=\nLLM:)( [^\n]*)/)
    .map((piece, i) => ({ text: piece, weight: i % 2 === 1 ? EARLIER : 0 }))
    .filter((piece) => piece.text !== '');

/** The growing transcript of an episode, in the pieces in which the gym encodes it. */
function transcript(rules: string, blocks: PromptBlocks, { steps }: Played): Document {
  const document: Document = answersIn(pocketHead(rules, blocks));
  for (const [i, step] of steps.entries()) {
    document.push({ text: `\nEnv: ${stateBefore(steps, i)}\nLLM:`, weight: 0 });
    document.push({
      text: ` ${formatAnswer(step.action, step.score ?? null)}`,
      weight: step.valid ? 1 : 0,
    });
    // What ends an answer is the next turn's first token, as in the gym; the last answer ends by itself.
    if (i === steps.length - 1) document.push({ text: '\n', weight: 1 });
  }
  return document;
}

/** The same episode with its scores as a judge's. */
function judged(rules: string, { steps }: Played): Document {
  const turns = steps.map((step, i) => ({
    state: stateBefore(steps, i),
    action: step.action!,
    score: step.score ?? null,
  }));
  const last = turns.at(-1)!;
  const parts = judgePrompt(rules, turns.slice(0, -1), last.state, last.action);
  return [
    ...parts.map((part): Piece => ({
      text: part.role === 'user' ? part.plain : part.text,
      weight: part.role === 'assistant' ? 1 : 0,
    })),
    { text: ` ${formatScore(last.score!)}`, weight: 1 },
    { text: '\n', weight: 1 },
  ];
}

/** Another action than the shown one, as the expert would choose if it differs. */
function corrected(game: Game, { steps }: Played, seed: string, rng: Rng): Document {
  const at = rng.int(steps.length);
  const shown = steps[at]!;
  const episode = replayTo(game, 'explore', seed, steps.slice(0, at));
  const expert = game.expert(episode.config, episode.state, rng);
  const others = (game.actions(episode.config, episode.state) ?? [expert]).filter((one) => one !== shown.action);
  const action = expert !== shown.action || others.length === 0 ? expert : rng.pick(others);
  const rules = game.rules(episode.config);
  const [part] = correctionPrompt(rules, stateBefore(steps, at), shown.action, shown.score ?? null);
  const { report } = advance(episode, action);
  return [
    { text: part!.role === 'user' ? part!.plain : part!.text, weight: 0 },
    { text: ` ${formatAnswer(action, report.reward)}\n`, weight: 1 },
  ];
}

/** What the model is shown before step `i`. */
export const stateBefore = (steps: readonly ExperienceStep[], i: number): string =>
  stateText(i === 0 ? '' : steps[i - 1]!.feedback, steps[i]!.observation!);
