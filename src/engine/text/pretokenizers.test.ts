import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { BYTE_CHARACTERS } from './bytes.ts';
import type { Component } from './format.ts';
import { exactPreTokenizer } from './pretokenizers.ts';

const vocab = Object.fromEntries(BYTE_CHARACTERS.map((char, id) => [char, id]));
/** Pre-tokens of a text, told by the pre-tokenizer itself. */
function split(pre_tokenizer: Component | null, text: string): string[] {
  const model = { type: 'BPE', vocab, merges: [] };
  const parts = { added_tokens: [], normalizer: null, post_processor: null, decoder: null };
  const { pre_tokenizer: made } = new Tokenizer({ ...parts, pre_tokenizer, model }, {});
  return made ? made.pre_tokenize([text], {}) : [];
}

describe('exactPreTokenizer', () => {
  it('splits digits as Rust does: all of \\p{N}', () => {
    expect(split(exactPreTokenizer({ type: 'Digits', individual_digits: true }), 'a½²12 b')).toEqual([
      'a',
      '½',
      '²',
      '1',
      '2',
      ' b',
    ]);
    expect(split(exactPreTokenizer({ type: 'Digits' }), 'a½12b')).toEqual(['a', '½12', 'b']);
  });

  it('splits white space as Rust does, and all else as before', () => {
    const exact = exactPreTokenizer({ type: 'ByteLevel', add_prefix_space: false });
    expect(split(exact, "I'll go  to 12 <b>\n\n x")).toEqual([
      'I',
      "'ll",
      'Ġgo',
      'Ġ',
      'Ġto',
      'Ġ12',
      'Ġ<',
      'b',
      '>',
      'ĊĊ',
      'Ġx',
    ]);
    expect(split(exact, 'a\ufeff!')).toEqual(['a', 'ï»¿!']); // U+FEFF is no white space
    expect(split(exact, 'a\u0085!')).toEqual(['a', 'ÂħĊ'.slice(0, 2), '!']); // U+0085 is
  });

  it('leaves the rest alone, and looks into sequences', () => {
    const other = { type: 'Metaspace', prepend_scheme: 'first' };
    expect(exactPreTokenizer(null)).toBe(null);
    expect(exactPreTokenizer(other)).toEqual(other);
    const prefixed = { type: 'ByteLevel', add_prefix_space: true };
    expect(exactPreTokenizer(prefixed)).toEqual(prefixed);
    const sequence = { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, other] };
    expect(split(exactPreTokenizer(sequence), 'a 1')).toEqual(['a▁', '1']);
  });

  it('is still needed', () => {
    // When this fails the library splits as Rust does: delete the workaround.
    expect(split({ type: 'Digits', individual_digits: true }, 'a½')).toEqual(['a½']);
    expect(split({ type: 'ByteLevel', add_prefix_space: false }, 'a\ufeff!')).toEqual(['a', 'ï»¿', '!']);
  });
});
