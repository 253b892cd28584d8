// The tokenizers that GGUF metadata describes, on a vocabulary of bytes and a few merges. SmolLM2's own is held against
// other software in src/engine/smollm2.test.ts.
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../errors.ts';
import { BYTE_CHARACTERS } from '../../text/bytes.ts';
import { TextTokenizer } from '../../text/tokenizer.ts';
import { memoryFile } from '../files.ts';
import { readGgufHeader } from './header.ts';
import { type Typed, writeGguf } from './testing.ts';
import { tokenizerTexts } from './tokenizer.ts';

const merges = ['1 2', '12 3', '123 4', 'Ġ 1', 'a b', 'Ġ ab', 'Ã ©', '! !', '. .', '.. 1', 'ab 1'];
const tokens = ['<|begin|>', '<|end|>', '<think>', ...BYTE_CHARACTERS, ...merges.map((pair) => pair.replace(' ', ''))];
/** No merges lead to this one. */
tokens.push('ba', '[PAD1]');
const types = tokens.map((token) =>
  token.startsWith('<|') ? 3 : token === '<think>' ? 4 : token === '[PAD1]' ? 5 : 1,
);

const described: Record<string, Typed> = {
  'tokenizer.ggml.model': [8, 'gpt2'],
  'tokenizer.ggml.tokens': [9, [8, tokens]],
  'tokenizer.ggml.merges': [9, [8, merges]],
  'tokenizer.ggml.token_type': [9, [5, types]],
  'tokenizer.ggml.bos_token_id': [4, 0],
  'tokenizer.ggml.eos_token_id': [4, 1],
  'tokenizer.chat_template': [8, '{{ bos_token }}x'],
};

async function texts(pre: string | null, more: Record<string, Typed> = {}, vocab = tokens.length) {
  const kind: Record<string, Typed> = pre === null ? {} : { 'tokenizer.ggml.pre': [8, pre] };
  const { metadata } = await readGgufHeader(memoryFile('m', writeGguf({ ...described, ...kind, ...more })));
  return tokenizerTexts(metadata, vocab);
}

async function pieces(pre: string | null, text: string, more: Record<string, Typed> = {}): Promise<string[]> {
  const { tokenizer, tokenizerConfig } = await texts(pre, more);
  const made = new TextTokenizer(tokenizer!, tokenizerConfig);
  return made.encode(text, { addSpecial: true }).map((id) => made.nameOf(id)!);
}

describe('pre-tokenizers', () => {
  it.each([
    ['smollm', '12 1', ['1', '2', 'Ġ', '1']],
    ['qwen2', '12 1', ['1', '2', 'Ġ', '1']],
    ['gpt-2', '1234 1', ['1234', 'Ġ1']],
    ['llama-bpe', '1234', ['<|begin|>', '123', '4']],
    ['default', '1234', ['123', '4']],
    [null, 'ab!!1', ['ab', '!!', '1']],
    ['gpt-2', 'ab!! ab', ['ab', '!!', 'Ġab']],
  ])('%s: %s', async (pre, text, expected) => expect(await pieces(pre, text)).toEqual(expected));

  it('a word that is a token is one for Llama 3 only', async () => {
    expect(await pieces('llama-bpe', 'ba')).toEqual(['<|begin|>', 'ba']);
    expect(await pieces('qwen2', 'ba')).toEqual(['b', 'a']);
  });

  it('Qwen composes characters first, as its own tokenizer.json does', async () => {
    expect(await pieces('qwen2', 'e\u0301')).toEqual(['Ã©']);
    expect(await pieces('smollm', 'e\u0301')).toEqual(['e', 'Ì', 'ģ']);
  });

  it('begins and ends as the file says', async () => {
    const ends: Record<string, Typed> = { 'tokenizer.ggml.add_eos_token': [7, true] };
    expect(await pieces('smollm', 'ab', { 'tokenizer.ggml.add_bos_token': [7, true], ...ends })).toEqual([
      ...['<|begin|>', 'ab', '<|end|>'],
    ]);
    expect(await pieces('llama-bpe', 'ab', { 'tokenizer.ggml.add_bos_token': [7, false] })).toEqual(['ab']);
  });
});

it('special tokens, markup, roles and the chat template', async () => {
  const { tokenizer, tokenizerConfig, chatTemplate } = await texts('smollm');
  const made = new TextTokenizer(tokenizer!, tokenizerConfig);
  expect([made.bos, made.eos, made.pad, chatTemplate]).toEqual([0, 1, null, '{{ bos_token }}x']);
  expect([...made.controlIds]).toEqual([0, 1, 2]);
  expect(made.encodeTrusted('<|begin|>ab<think>')).toEqual([0, tokens.indexOf('ab'), 2]);
  expect(made.vocabSize).toBe(tokens.length);
});

it('a file without a tokenizer has none', async () => {
  const { metadata } = await readGgufHeader(memoryFile('m', writeGguf({ a: [4, 1] })));
  expect(tokenizerTexts(metadata, 10).tokenizer).toBeNull();
});

describe('senseless metadata is refused', () => {
  it.each<[string, Record<string, Typed>]>([
    ['no tokens', { 'tokenizer.ggml.tokens': [4, 1] }],
    ['two tokens of one name', { 'tokenizer.ggml.tokens': [9, [8, [...tokens.slice(1), 'ab']]] }],
    ['types for other tokens', { 'tokenizer.ggml.token_type': [9, [5, types.slice(1)]] }],
    ['a merge of three', { 'tokenizer.ggml.merges': [9, [8, ['a b c']]] }],
    ['bos beyond the end', { 'tokenizer.ggml.bos_token_id': [4, 9999] }],
  ])('%s', async (_, more) => {
    await expect(texts('smollm', more)).rejects.toMatchObject({ code: 'model/bad-file' });
  });

  it('more tokens than the embedding has rows', async () => {
    await expect(texts('smollm', {}, tokens.length - 1)).rejects.toBeInstanceOf(CodedError);
  });
});
