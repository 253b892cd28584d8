// Token budgets of prompts: what is cut, and the trace of every cut. Knows no pathway.
import type { LanguageModel, PromptPart } from '../models/types.ts';
import type { Step } from '../log/events.ts';

const textOf = (part: PromptPart) => (part.role === 'user' ? part.plain : part.text);

/** Tokens of the parts as separate pieces. */
export async function countParts(parts: readonly PromptPart[], model: LanguageModel): Promise<number> {
  const counts = await model.countTokens(parts.map(textOf));
  return counts.reduce((sum, count) => sum + count, 0);
}

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
  let left = budget - used;
  const kept = counts.findIndex((count) => (left -= count) < 0);
  if (kept < 0) return { text: hints, cut: undefined };
  const tokens = counts.slice(kept).reduce((sum, count) => sum + count, 0);
  return {
    text: lines.slice(0, kept).join('\n'),
    cut: { tokens, what: `${lines.length - kept} lines at the end of the hints` },
  };
}

/**
 * Room for hints in a pocket prompt, in tokens: the current episode is never cut, so room for a whole one is set aside
 * (its step cap times a step's tokens, but at most 60 % of the budget).
 */
export async function hintRoom(
  head: string,
  firstTurn: PromptPart,
  stepCap: number,
  inputTokens: number,
  model: LanguageModel,
): Promise<number> {
  const [headTokens, turnTokens] = await model.countTokens([head, textOf(firstTurn)]);
  const answer = 10;
  const episode = Math.min(stepCap * (turnTokens! + answer), Math.floor(inputTokens * 0.6));
  return Math.max(0, inputTokens - headTokens! - episode);
}
