import { expect, it } from 'vitest';
import { BYTE_CHARACTERS } from '../../engine/text/bytes.ts';
import { actionPrompt } from '../../gym/prompts.ts';
import { openEngineText } from './text.ts';

const controls = ['<|start|>', '<|end|>'];
const tokenizer = JSON.stringify({
  added_tokens: controls.map((content, id) => ({ id, content, special: true })),
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries([...controls, ...BYTE_CHARACTERS].map((token, id) => [token, id])),
    merges: [],
  },
});
const chatTemplate =
  '{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content }}<|end|>{% endfor %}<|start|>assistant\n';
const chat = openEngineText({ tokenizer, tokenizerConfig: null, chatTemplate });
const plain = openEngineText({ tokenizer, tokenizerConfig: null, chatTemplate: null });
const turn = (n: number) => ({
  ...{ state: `state ${n}`, action: 'UP', score: 1 },
  completion: `Answer: UP, Score: ${n}`,
  ids: plain.encode(`Answer: UP, Score: ${n}`),
});
const prompt = (turns: number) =>
  actionPrompt(
    'pocket',
    'rules',
    { hints: 'a tip' },
    Array.from({ length: turns }, (_, n) => turn(n)),
    'now',
  );

it('speaks in turns: rules and hints as system, states as user, answers as the model wrote them', () => {
  const { text, ids } = chat.prompt(prompt(1));
  const [before, system, ...turns] = text.split('<|start|>');
  expect([before, turns]).toEqual([
    '',
    ['user\nstate 0<|end|>', 'assistant\nAnswer: UP, Score: 0<|end|>', 'user\nnow<|end|>', 'assistant\n'],
  ]);
  expect(system).toMatch(/^system\nrules\n[^]*a tip[^]*<\|end\|>$/);
  expect(chat.answer(ids).text).toBe(text.replaceAll(/<\|(start|end)\|>/g, ''));
});

it('only grows: each prompt but for its last state is the beginning of the next', () => {
  for (let n = 0; n < 3; n++) {
    const [shorter, longer] = [chat.prompt(prompt(n)).ids, chat.prompt(prompt(n + 1)).ids];
    const state = chat.encode('now<|end|>').length + chat.encode('assistant\n').length;
    expect(longer.slice(0, shorter.length - state - 8)).toEqual(shorter.slice(0, -state - 8));
  }
});

it('takes a logged prompt by its ids alone, and begins an answer without the blank of a transcript', () => {
  expect(chat.prompt([{ role: 'assistant', text: 'x', ids: [1, 2, 3] }], true).ids).toEqual([1, 2, 3]);
  expect(chat.begin(' Answer: UP, Score:')).toEqual(chat.encode('Answer: UP, Score:'));
  expect(plain.begin(' Answer')).toEqual(plain.encode(' Answer'));
});
