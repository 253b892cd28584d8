// Token budgets of prompts: what is cut, and the trace of every cut. Knows no pathway.
import type { LanguageModel, PromptPart } from '../models/types.ts';
import type { Step } from '../log/events.ts';

const textOf = (part: PromptPart) => (part.role === 'user' ? part.plain : part.text);

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

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Tokens of the parts as separate pieces; what the model wrote itself is not counted again. */
export async function countParts(parts: readonly PromptPart[], model: LanguageModel): Promise<number> {
  const idsOf = (part: PromptPart) => (part.role === 'assistant' ? part.ids : undefined);
  const known = parts.map((part) => idsOf(part)?.length ?? 0);
  return sum(known) + sum(await model.countTokens(parts.filter((part) => !idsOf(part)).map(textOf)));
}

/** UTF-8 needs no more bytes for a UTF-16 unit, and no tokenizer here makes more tokens than bytes. */
const MOST_TOKENS_A_CHARACTER = 3;

/** Whether a prompt is longer than `tokens`; one that is short enough by its letters is not counted. */
export async function isLonger(parts: readonly PromptPart[], tokens: number, model: LanguageModel): Promise<boolean> {
  const most = parts.reduce((length, part) => length + MOST_TOKENS_A_CHARACTER * textOf(part).length, 0);
  return most > tokens && (await countParts(parts, model)) > tokens;
}

/** Tokens that a chat's frame, a beginning token, and pieces that were counted one by one may add. */
const FRAME = 64;

/** The paper's rule: whole lines are cut from the tail of the hints until the prompt fits. */
export async function cutTail(
  hints: string,
  rest: readonly PromptPart[],
  budget: number,
  model: LanguageModel,
): Promise<{ text: string; cut: Step['cut'] }> {
  const lines = hints.split('\n');
  const [used, counts] = await Promise.all([
    countParts(rest, model),
    model.countTokens(lines.map((line) => `${line}\n`)),
  ]);
  let left = budget - used - FRAME;
  const kept = counts.findIndex((count) => (left -= count) < 0);
  if (kept < 0) return { text: hints, cut: undefined };
  const tokens = sum(counts.slice(kept));
  return {
    text: lines.slice(0, kept).join('\n'),
    cut: { tokens, what: `${lines.length - kept} lines at the end of the hints` },
  };
}

/**
 * Room for hints in a pocket prompt, in tokens: the current episode is never cut, so room for a whole one, answers and
 * all, is set aside (its step cap times a step's tokens, but at most 60 % of the budget).
 */
export async function hintRoom(
  head: string,
  firstTurn: PromptPart,
  stepCap: number,
  { whole }: ContextShares,
  model: LanguageModel,
): Promise<number> {
  const [headTokens, turnTokens] = await model.countTokens([head, textOf(firstTurn)]);
  const answer = 10;
  const episode = Math.min(stepCap * (turnTokens! + answer), Math.floor(whole * 0.6));
  return Math.max(0, whole - headTokens! - episode);
}
