import { expect, test } from 'vitest';
import { hashText } from '../hash.ts';
import type { EpisodeEvent, PromptText, RunEvent, Step } from './events.ts';
import { decodeTokens, encodeTokens, PromptReader, PromptWriter } from './prompts.ts';

const head = 'Rules: '.padEnd(200, 'go north or south. ');
const literal = (prompt: PromptText) => prompt.parts.filter((part) => typeof part === 'string').join('').length;

/** Prompts of one growing episode, as the pocket preset makes them. */
function growing(steps: number, hints = '') {
  const texts = [`${head}${hints}\nEnv: start\nLLM:`];
  for (let i = 1; i < steps; i++) texts.push(`${texts.at(-1)} Answer: north, Score: ${i}\nEnv: state ${i}\nLLM:`);
  return texts;
}

function encode(writer: PromptWriter, texts: string[], blocks: string | string[] = head) {
  return texts.map((text, i) => writer.step(blocks, text, i === 0 ? undefined : { promptText: texts[i - 1]! }));
}

const episode = (prompts: PromptText[]) =>
  ({ type: 'episode', n: 1, steps: prompts.map((prompt) => ({ prompt }) as Step) }) as EpisodeEvent;

test('a growing episode costs its new text only, a second one not even its head', () => {
  const writer = new PromptWriter();
  const [first, second] = [encode(writer, growing(5)), encode(writer, growing(4, 'more'))];
  expect(first[0]!.parts[0]).toBe(head);
  expect(first[3]!.parts).toEqual([{ ref: first[2]!.sha256 }, ' Answer: north, Score: 3\nEnv: state 3\nLLM:']);
  expect(second[0]!.parts[0]).toEqual({ ref: hashText(head) });
  const reader = new PromptReader();
  expect(first.map((prompt) => reader.text(prompt))).toEqual(growing(5));
  expect(second.map((prompt) => reader.text(prompt))).toEqual(growing(4, 'more'));
});

test('a first prompt that occurred before is one reference', () => {
  const writer = new PromptWriter();
  const [a, b] = [encode(writer, growing(2)), encode(writer, growing(1))];
  expect(b[0]!.parts).toEqual([{ ref: a[0]!.sha256 }]);
  const reader = new PromptReader([episode(a)]);
  expect(reader.text(b[0]!)).toBe(growing(1)[0]);
});

test('a head may stand in the middle, as chat templates put it', () => {
  const writer = new PromptWriter();
  const chat = (state: string) => `<|im_start|>user\n${head}\n${state}<|im_end|>\n`;
  const [a, b] = [writer.step(head, chat('one')), writer.step(head, chat('two'))];
  expect(b.parts).toEqual(['<|im_start|>user\n', { ref: hashText(head) }, '\ntwo<|im_end|>\n']);
  const reader = new PromptReader();
  expect([reader.text(a), reader.text(b)]).toEqual([chat('one'), chat('two')]);
});

test('prompts that do not grow find their repeated lines again, without being told', () => {
  const writer = new PromptWriter();
  const lines = Array.from({ length: 400 }, (_, i) => `Env: board ${i * 7919} and what it shows\nLLM: Answer: a${i}\n`);
  const paper = (upTo: number) => `Game history:\n${lines.slice(0, upTo).join('')}${head}\nstate ${upTo}`;
  const texts = [390, 391, 392, 393].map(paper);
  const prompts = encode(writer, texts, '');
  expect(literal(prompts[0]!)).toBe(texts[0]!.length);
  for (const prompt of prompts.slice(1)) expect(literal(prompt)).toBeLessThan(texts[0]!.length / 8);
  const reader = new PromptReader();
  expect(prompts.map((prompt) => reader.text(prompt))).toEqual(texts);
});

test('a writer that folded the log goes on exactly as the one that wrote it', () => {
  const whole = new PromptWriter();
  const a = encode(whole, growing(6));
  const tips = whole.step(head, `${head}\nTips:`);
  const events = [episode(a), { type: 'consolidation', corrected: [], prompt: tips }] as unknown as RunEvent[];
  const resumed = new PromptWriter(events);
  for (const hints of ['', 'tips', 'tips']) {
    expect(encode(resumed, growing(5, hints))).toEqual(encode(whole, growing(5, hints)));
  }
});

test('a changed, missing or endless reference is refused', () => {
  const writer = new PromptWriter();
  const prompts = encode(writer, growing(2));
  const read = (prompt: PromptText) => () => new PromptReader().text(prompt);
  expect(read(prompts[1]!)).toThrow(/did not occur before/);
  expect(read({ ...prompts[0]!, parts: ['other'] })).toThrow(/does not have its hash/);
  const reader = new PromptReader();
  let ref = hashText('x');
  reader.text({ sha256: ref, parts: ['x'] });
  const double = () => {
    for (let i = 0; i < 40; i++) {
      const sha256 = hashText(`forged ${i}`);
      reader.fold(episode([{ sha256, parts: [{ ref }, { ref }] }]));
      ref = sha256;
    }
  };
  expect(double).toThrow(expect.objectContaining({ code: 'log/bad-prompt' }));
});

test('a thousand steps that refer to one another are rebuilt', () => {
  const writer = new PromptWriter();
  const texts = growing(1000);
  const prompts = encode(writer, texts);
  const reader = new PromptReader([episode(prompts)]);
  expect(reader.text(prompts[999]!)).toBe(texts[999]);
});

test('ids keep what the step before had', () => {
  const before = [1, 2, 3, 4];
  expect(encodeTokens([1, 2, 9, 9], before)).toEqual({ keep: 2, ids: [9, 9] });
  expect(decodeTokens({ keep: 2, ids: [9, 9] }, before)).toEqual([1, 2, 9, 9]);
  expect(decodeTokens(encodeTokens(before))).toEqual(before);
  expect(() => decodeTokens({ keep: 5, ids: [] }, before)).toThrow(/keeps 5/);
  const step = (promptTokens: Step['promptTokens'], completionTokens: number[]) =>
    ({ prompt: { sha256: hashText('t'), parts: ['t'] }, promptTokens, completionTokens }) as Step;
  const steps = [step({ keep: 0, ids: [5, 6] }, [7]), step({ keep: 3, ids: [8] }, [])];
  const event = { type: 'episode', n: 3, steps } as EpisodeEvent;
  expect(new PromptReader().episode(event).map(({ ids }) => ids)).toEqual([
    [5, 6],
    [5, 6, 7, 8],
  ]);
  steps[1]!.promptTokens.keep = 4;
  expect(() => new PromptReader().episode(event)).toThrow(/line 3, step 1: keeps 4/);
});
