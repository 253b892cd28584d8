// Token budgets of prompts: what is cut, and the trace of every cut. Knows no pathway.
import { plainOf, type LanguageModel, type PromptPart } from '../models/types.ts';
import type { Step } from '../log/events.ts';

type Counter = Pick<LanguageModel, 'countTokens'>;

/** What fits into a prompt. Decided by counting tokens; where a log is read without the model's tokenizer, by the log. */
export interface Budget {
  /** How many of the last texts fit into `room` tokens, at most `most`: whole ones, the first are left out. */
  last(texts: readonly string[], room: number, most: number): Promise<number>;
  /** How many of the first lines fit into `room` tokens beside `rest`, and the tokens of those that do not. */
  first(lines: readonly string[], rest: readonly PromptPart[], room: number): Promise<{ kept: number; tokens: number }>;
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
      counter.countTokens(rest.map(plainOf)).then(sum),
      counter.countTokens(lines.map((line) => `${line}\n`)),
    ]);
    let left = room - used;
    const over = counts.findIndex((count) => (left -= count) < 0);
    const kept = over < 0 ? lines.length : over;
    return { kept, tokens: sum(counts.slice(kept)) };
  },
});

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

const CUT = 'lines at the end of the hints';

/** The paper's rule: whole lines are cut from the tail of the hints until the prompt fits. */
export async function cutTail(
  hints: string,
  rest: readonly PromptPart[],
  room: number,
  budget: Budget,
): Promise<{ text: string; cut: Step['cut'] }> {
  const lines = hints.split('\n');
  const { kept, tokens } = await budget.first(lines, rest, room);
  if (kept === lines.length) return { text: hints, cut: undefined };
  return { text: lines.slice(0, kept).join('\n'), cut: { tokens, what: `${lines.length - kept} ${CUT}` } };
}

/** How many lines a logged cut took, by its own words. */
export const linesCut = (cut: Step['cut']): number =>
  cut?.what.endsWith(CUT) ? Number.parseInt(cut.what, 10) || 0 : 0;

/**
 * Room for hints in a pocket prompt, in tokens: the current episode is never cut, so room for a whole one is set aside
 * (its step cap times a step's tokens, but at most 60 % of the budget).
 */
export async function hintRoom(
  head: string,
  firstTurn: PromptPart,
  stepCap: number,
  inputTokens: number,
  model: Counter,
): Promise<number> {
  const [headTokens, turnTokens] = await model.countTokens([head, plainOf(firstTurn)]);
  const answer = 10;
  const episode = Math.min(stepCap * (turnTokens! + answer), Math.floor(inputTokens * 0.6));
  return Math.max(0, inputTokens - headTokens! - episode);
}
