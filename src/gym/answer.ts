// Reads an answer out of a completion by the contract of the protocol, and repairs nothing. Knows no game.
import type { Step } from '../log/events.ts';

export interface Answer {
  /** null: no line starts with `Answer:`. Whether the action is valid is the game's to say. */
  action: string | null;
  /** null: missing or malformed, never 0 instead. */
  score: number | null;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * The last line that starts with `Answer:` counts, nothing else: `Answer: <ACTION>, Score: <NUMBER>`.
 * Case-insensitive; one trailing `.` or `!` of the line is dropped; text before that line is never searched.
 */
export function parseAnswer(completion: string): Answer {
  const line = completion
    .split(/\r\n|\r|\n/)
    .map((text) => text.trim())
    .findLast((text) => /^answer:/i.test(text));
  if (line === undefined) return { action: null, score: null };
  const body = line.slice('answer:'.length).replace(/[.!]$/, '').trim();
  // The last `, Score:` splits: an action may hold commas itself (Chess).
  const split = /^(.*?),\s*score:\s*((?:(?!,\s*score:).)*)$/is.exec(body);
  if (!split) return { action: body, score: null };
  const number = split[2]!.trim();
  const score = NUMBER.test(number) ? Number(number) : null;
  return { action: split[1]!.trim(), score: score !== null && Number.isFinite(score) ? score : null };
}

/** An answer as memories show it. */
export function formatAnswer(action: string | null, score: number | null): string {
  if (action === null) return '(no answer)';
  return score === null ? `Answer: ${action}` : `Answer: ${action}, Score: ${formatScore(score)}`;
}

/** At most four decimals, none where it is whole. */
export const formatScore = (score: number): string => String(Math.round(score * 10000) / 10000 + 0);

/** How a completion is held to the answer contract while it is decoded. */
export type MaskMode = Step['maskMode'];

/** A number that a score may be, short enough to come to an end. */
const SCORE = '-?(?:0|[1-9]\\d{0,3})(?:\\.\\d{1,4})?';

/**
 * The regular expression of a whole completion, its ending newline optional: `frame` holds it to the answer line's form,
 * `actions` to the game's action grammar, too. What a state allows is never part of it.
 */
export function answerGrammar(mode: Exclude<MaskMode, 'off'>, actions: string): string {
  const action = mode === 'frame' ? '[^\\n]+' : `(?:${actions})`;
  return ` ?Answer: ${action}, Score: ${SCORE}\\n?`;
}
