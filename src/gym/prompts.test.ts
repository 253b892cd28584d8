import { expect, test } from 'vitest';
import { actionPrompt, correctionPrompt, fill, judgePrompt, parseTips, summaryPrompt } from './prompts.ts';
import type { PromptPart } from '../models/types.ts';

const plain = (parts: PromptPart[]) => parts.map((part) => (part.role === 'user' ? part.plain : part.text)).join('');
const turn = { state: 'a', completion: ' Answer: up, Score: 1', ids: [], action: 'up', score: 1 };

test('pocket: the head with every slot in its order, then a transcript that only grows', () => {
  const blocks = { hints: 'tip', goal: 'score 5', note: 'turn left' };
  expect(plain(actionPrompt('pocket', 'RULES', blocks, [turn], 'b'))).toBe(
    [
      'RULES',
      'Hint Messages:',
      'tip',
      'Goal: score 5',
      'Note: turn left',
      'Game history of current episode:',
      'Env: a',
      'LLM: Answer: up, Score: 1',
      'Env: b',
      'LLM:',
    ].join('\n'),
  );
});

test('empty slots leave nothing behind', () => {
  expect(plain(actionPrompt('pocket', 'RULES', {}, [], 'a'))).toBe(
    'RULES\nGame history of current episode:\nEnv: a\nLLM:',
  );
  expect(plain(actionPrompt('paper', 'RULES', { goal: 'score 5' }, [], 'a'))).toBe(
    'Goal: score 5\nRULES\nCurrent state:\na\nLLM:',
  );
});

test('paper: history of the episode, then rules, then the state', () => {
  expect(plain(actionPrompt('paper', 'RULES', { hints: 'tip' }, [turn], 'b'))).toBe(
    [
      'Hint Messages:',
      'tip',
      'Game history of current episode:',
      'Env: a',
      'LLM: Answer: up, Score: 1',
      'RULES',
      'Current state:',
      'b',
      'LLM:',
    ].join('\n'),
  );
});

test('a judge reads the same transcript and is cut where the number belongs', () => {
  const parts = judgePrompt('RULES', [{ state: 'a', action: 'up', score: 0.25 }], 'b', 'A:1,2 B:0,0');
  expect(plain(parts)).toBe(
    [
      'RULES',
      'Game history of current episode:',
      'Env: a',
      'Judge: Answer: up, Score: 0.25',
      'Env: b',
      'Judge: Answer: A:1,2 B:0,0, Score:',
    ].join('\n'),
  );
});

test('a correction shows the low score', () => {
  expect(plain(correctionPrompt('RULES', 'a', 'up', 0))).toBe(
    'RULES\nEnv: a\nLLM: Answer: up, Score: 0\nCorrect: this action was scored low. Give another action than this one.\nLLM:',
  );
});

test('tips are what follows the last `Tips:`', () => {
  expect(plain(summaryPrompt('RULES', '', 'Episode:')).endsWith('\nTips:')).toBe(true);
  expect(parseTips(' retain: all')).toBe('retain: all');
  expect(parseTips('So: Tips: retain: all\n')).toBe('retain: all');
});

test('values are never searched for placeholders', () => {
  expect(fill('{{a}}\n---\n{{b}}', { a: '{{b}}\n---\nx', b: '' })).toBe('{{b}}\n---\nx');
});
