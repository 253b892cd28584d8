// A separate judge: a call of its own for each step that was played, by the same model or another. Its prompt is a pure
// function of what the episode shows, so that `verify` can build it again. Never sees a reward.
import { hashText } from '../hash.ts';
import type { Step } from '../log/events.ts';
import { plainOf, type LanguageModel, type PromptPart } from '../models/types.ts';
import { SCORE } from './answer.ts';
import { judgePrompt, judgeReasonPrompt } from './prompts.ts';

/** An action that somebody chose in `state`, after the judged steps before it. */
export interface Proposal {
  rules: string;
  before: readonly { state: string; action: string; score: number | null }[];
  state: string;
  action: string;
}

export type Verdict = NonNullable<Step['judge']> & { score: number | null };

/** A number alone. */
const PLAIN_TOKENS = 8;
/** Two sentences and a number. */
const CHAT_TOKENS = 160;

/** A transcript cut at the number (plain), or a question that asks for a reason first (chat). */
export const judgeParts = (layout: 'plain' | 'chat', proposal: Proposal): PromptPart[] =>
  layout === 'plain'
    ? judgePrompt(proposal.rules, proposal.before, proposal.state, proposal.action)
    : judgeReasonPrompt(proposal.rules, proposal.state, proposal.action);

/** A reason on one line, of bounded length so that there is a verdict in the end, and then the number. */
export const CHAT_GRAMMAR = `[^\\n]{1,400}\\nScore: ${SCORE}\\n?`;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** The number after the last `Score:`, or the whole of a plain completion; null when it is missing or malformed. */
export function parseVerdict(completion: string): number | null {
  const mark = completion.toLowerCase().lastIndexOf('score:');
  const [line = ''] = (mark < 0 ? completion : completion.slice(mark + 'score:'.length)).trim().split('\n');
  const text = line.trim().replace(/[.!]$/, '');
  return NUMBER.test(text) ? Number(text) : null;
}

/** Greedy, so that the same step always gets the same score. */
export async function judgeAll(
  proposals: readonly Proposal[],
  model: LanguageModel,
  signal?: AbortSignal,
): Promise<Verdict[]> {
  const { layout } = model.card;
  const prompts = proposals.map((proposal) => judgeParts(layout, proposal));
  const completions = await model.complete(
    prompts.map((parts) => ({
      parts,
      adapter: null,
      ...(layout === 'plain' ? {} : { grammar: CHAT_GRAMMAR }),
      sampling: {
        temperature: 0,
        seed: 0,
        maxTokens: layout === 'plain' ? PLAIN_TOKENS : CHAT_TOKENS,
        stop: layout === 'plain' ? ['\n'] : [],
      },
    })),
    signal,
  );
  return completions.map((completion, i) => ({
    score: parseVerdict(completion.text),
    prompt: hashOf(prompts[i]!),
    layout,
    promptLength: completion.promptIds.length,
    completion: completion.text,
    completionTokens: [...completion.ids],
  }));
}

const hashOf = (parts: readonly PromptPart[]): string =>
  hashText(JSON.stringify(parts.map((part) => [part.role, plainOf(part)])));
