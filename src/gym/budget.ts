// Token budgets of prompts: what is cut, and the trace of every cut. Knows no pathway.
import { plainOf, type LanguageModel, type PromptPart } from '../models/types.ts';
import type { Step } from '../log/events.ts';

type Counter = Pick<LanguageModel, 'countTokens'>;

/** How a context is shared, in tokens: the most that a prompt may have, and the most that its answer may. */
export interface ContextShares {
  prompt: number;
  answer: number;
  /** Both together, where a prompt's own room for answers is counted with it. */
  whole: number;
}

/** Of a small context an answer takes no more than this: budgets made for a large one would leave the prompt nothing. */
const LARGEST_ANSWER = 0.25;

/** `inputTokens` 0: all that the answer leaves. One position stays free, for the token that begins a sequence. */
export function splitContext(context: number, inputTokens: number, outputTokens: number): ContextShares {
  const room = context - 1;
  const answer = Math.min(outputTokens, Math.max(1, Math.floor(room * LARGEST_ANSWER)));
  const budget = inputTokens === 0 ? room : inputTokens;
  return { prompt: Math.min(budget, room - answer), answer, whole: Math.min(budget, room) };
}

/** What fits into a prompt. Decided by counting tokens; where a log is read without the model's tokenizer, by the log. */
export interface Budget {
  /** How many of the last texts fit into `room` tokens, at most `most`: whole ones, the first are left out. */
  last(texts: readonly string[], room: number, most: number): Promise<number>;
  /** How many of the first lines fit into `room` tokens beside `rest`, and the tokens of those that do not. */
  first(lines: readonly string[], rest: readonly PromptPart[], room: number): Promise<{ kept: number; tokens: number }>;
  /** Of texts that each go further than the one before: how far the longest one goes that fits into `room`, 0 for none. */
  furthest(texts: readonly string[], room: number): Promise<number>;
  /** Whether a prompt has more tokens than `room`. */
  exceeds(parts: readonly PromptPart[], room: number): Promise<boolean>;
}

export const tokenBudget = (counter: Counter): Budget => ({
  async last(texts, room, most) {
    const counts = await counter.countTokens(texts.map((text) => `\n${text}`));
    let [left, kept] = [room, 0];
    while (kept < Math.min(most, texts.length) && (left -= counts.at(-1 - kept)!) >= 0) kept += 1;
    return kept;
  },
  async first(lines, rest, room) {
    const [used, counts] = await Promise.all([
      countParts(rest, counter),
      counter.countTokens(lines.map((line) => `${line}\n`)),
    ]);
    let left = room - used;
    const over = counts.findIndex((count) => (left -= count) < 0);
    const kept = over < 0 ? lines.length : over;
    return { kept, tokens: sum(counts.slice(kept)) };
  },
  async furthest(texts, room) {
    const counts = await counter.countTokens(texts.map((text) => `\n${text}`));
    return counts.findLastIndex((count) => count <= room) + 1;
  },
  async exceeds(parts, room) {
    // One that is short enough by its letters is not counted.
    const most = parts.reduce((length, part) => length + MOST_TOKENS_A_CHARACTER * plainOf(part).length, 0);
    return most > room && (await countParts(parts, counter)) > room;
  },
});

/** UTF-8 needs no more bytes for a UTF-16 unit, and no tokenizer here makes more tokens than bytes. */
const MOST_TOKENS_A_CHARACTER = 3;

/** Tokens of the parts as separate pieces; what the model wrote itself is not counted again. */
export async function countParts(parts: readonly PromptPart[], counter: Counter): Promise<number> {
  const idsOf = (part: PromptPart) => (part.role === 'assistant' ? part.ids : undefined);
  const known = parts.map((part) => idsOf(part)?.length ?? 0);
  return sum(known) + sum(await counter.countTokens(parts.filter((part) => !idsOf(part)).map(plainOf)));
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Tokens that a chat's frame, a beginning token, and pieces that were counted one by one may add. */
const FRAME = 64;

const CUT = 'lines at the end of the hints';

/** The paper's rule: whole lines are cut from the tail of the hints until the prompt fits. */
export async function cutTail(
  hints: string,
  rest: readonly PromptPart[],
  room: number,
  budget: Budget,
): Promise<{ text: string; cut: Step['cut'] }> {
  const lines = hints.split('\n');
  const { kept, tokens } = await budget.first(lines, rest, room - FRAME);
  if (kept === lines.length) return { text: hints, cut: undefined };
  return { text: lines.slice(0, kept).join('\n'), cut: { tokens, what: `${lines.length - kept} ${CUT}` } };
}

/** How many lines a logged cut took, by its own words. */
export const linesCut = (cut: Step['cut']): number =>
  cut?.what.endsWith(CUT) ? Number.parseInt(cut.what, 10) || 0 : 0;

/**
 * Room for hints in a pocket prompt, in tokens: the current episode is never cut, so room for a whole one, answers and
 * all, is set aside (its step cap times a step's tokens, but at most 60 % of the budget).
 */
export async function hintRoom(
  head: string,
  firstTurn: PromptPart,
  stepCap: number,
  { whole }: ContextShares,
  model: Counter,
): Promise<number> {
  const [headTokens, turnTokens] = await model.countTokens([head, plainOf(firstTurn)]);
  const answer = 10;
  const episode = Math.min(stepCap * (turnTokens! + answer), Math.floor(whole * 0.6));
  return Math.max(0, whole - headTokens! - episode);
}
