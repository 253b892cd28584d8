// Builds the prompts of the cycle out of text files. Two orders of parts: `pocket` only grows, `paper` keeps the paper's.
// Knows slots, not what fills them.
import type { Preset } from '../../games/contract.ts';
import { hashText } from '../hash.ts';
import type { PromptPart } from '../models/types.ts';
import { formatAnswer, formatScore } from './answer.ts';
import correct from './prompts/correct.txt?raw';
import judge from './prompts/judge.txt?raw';
import paper from './prompts/paper.txt?raw';
import pocket from './prompts/pocket.txt?raw';
import summary from './prompts/summary.txt?raw';

/** Ordered slots that a pathway may fill; the empty ones are left out. */
export interface PromptBlocks {
  hints?: string;
  /** What the episode is to reach, such as `score 5`. */
  goal?: string;
  /** A hint that may be right or wrong. */
  note?: string;
}

/** One step as the agent lived it. */
export interface Turn {
  /** F and O: the text of the state. */
  state: string;
  /** What the model wrote, with its ids; kept for growing prompts. */
  completion: string;
  ids: readonly number[];
  action: string | null;
  score: number | null;
}

const templates = { pocket, paper, summary, correct, judge };

/** SHA-256 of each template by name, for run.opened. */
export const promptHashes: Record<string, string> = Object.fromEntries(
  Object.entries(templates).map(([name, text]) => [name, hashText(text)]),
);

/** Blocks are separated by `---`; one with an empty placeholder is left out. Values are never searched for placeholders. */
export function fill(template: string, values: Record<string, string>): string {
  return template
    .trimEnd()
    .split('\n---\n')
    .filter((block) => [...block.matchAll(/\{\{(\w+)\}\}/g)].every(([, name]) => (values[name!] ?? '') !== ''))
    .map((block) => block.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!))
    .join('\n');
}

/** F at the head of O. */
export const stateText = (feedback: string, observation: string): string =>
  feedback === '' ? observation : `${feedback}\n${observation}`;

const filled = ({ hints = '', goal = '', note = '' }: PromptBlocks) => ({ hints, goal, note });

/** The part of a pocket prompt that stays the same through an episode. */
export const pocketHead = (rules: string, blocks: PromptBlocks): string => fill(pocket, { rules, ...filled(blocks) });

const envTurn = (state: string): PromptPart => ({ role: 'user', text: state, plain: `\nEnv: ${state}\nLLM:` });

/** The prompt for the next action: `turns` are the episode's steps so far, `state` the one to act in. */
export function actionPrompt(
  preset: Preset,
  rules: string,
  blocks: PromptBlocks,
  turns: readonly Turn[],
  state: string,
): PromptPart[] {
  switch (preset) {
    case 'pocket': {
      const parts: PromptPart[] = [{ role: 'system', text: pocketHead(rules, blocks) }];
      for (const turn of turns) {
        parts.push(envTurn(turn.state), { role: 'assistant', text: turn.completion, ids: turn.ids });
      }
      parts.push(envTurn(state));
      return parts;
    }
    case 'paper': {
      const episode = turns.map((turn) => turnLines(turn.state, turn.action, turn.score)).join('\n');
      const text = fill(paper, { rules, ...filled(blocks), episode, state });
      return [{ role: 'user', text, plain: `${text}\nLLM:` }];
    }
    default:
      return preset satisfies never;
  }
}

/** `Env: <STATE>` / `LLM: Answer: <ACTION>, Score: <s>`. */
export const turnLines = (state: string, action: string | null, score: number | null): string =>
  `Env: ${state}\nLLM: ${formatAnswer(action, score)}`;

/** The call that writes tips: rules, previous tips, earlier episodes. */
export function summaryPrompt(rules: string, tips: string, history: string): PromptPart[] {
  const text = fill(summary, { rules, tips, history });
  return [{ role: 'user', text, plain: `${text}\nTips:` }];
}

/** The text after `Tips:`, on one line. A plain model writes it directly. */
export function parseTips(completion: string): string {
  const start = completion.toLowerCase().lastIndexOf('tips:');
  const body = start < 0 ? completion : completion.slice(start + 'tips:'.length);
  return body.trim();
}

/** The call that proposes another action than one that was scored low. */
export function correctionPrompt(
  rules: string,
  state: string,
  action: string | null,
  score: number | null,
): PromptPart[] {
  const text = fill(correct, { rules, state, answer: formatAnswer(action, score) });
  return [{ role: 'user', text, plain: `${text}\nLLM:` }];
}

/**
 * The call that scores an action which somebody else chose in `state`: an episode's transcript with `Judge:` in place of
 * `LLM:`, cut where the score's number belongs. `judged` are the steps before, with the scores that they were given.
 */
export function judgePrompt(
  rules: string,
  judged: readonly { state: string; action: string; score: number | null }[],
  state: string,
  action: string,
): PromptPart[] {
  const parts: PromptPart[] = [{ role: 'system', text: pocketHead(rules, {}) }];
  for (const step of judged) {
    parts.push(judgeTurn(step.state, step.action), {
      role: 'assistant',
      text: step.score === null ? ' ' : ` ${formatScore(step.score)}`,
    });
  }
  parts.push(judgeTurn(state, action));
  return parts;
}

function judgeTurn(state: string, action: string): PromptPart {
  const plain = `\nEnv: ${state}\nJudge: Answer: ${action}, Score:`;
  return { role: 'user', text: plain.trimStart(), plain };
}

/** The same call for a model that talks: a reason before the number. */
export function judgeReasonPrompt(rules: string, state: string, action: string): PromptPart[] {
  const text = fill(judge, { rules, state, action });
  return [{ role: 'user', text, plain: `${text}\nJudge:` }];
}
