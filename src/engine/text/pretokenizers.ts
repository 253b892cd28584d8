// A workaround: two pre-tokenizers of @huggingface/tokenizers 0.2.0 split some text unlike the Rust library does.
// - Digits matches \d; Rust's char::is_numeric is \p{N}, so `½` and `²` stand alone there.
// - ByteLevel's own pattern uses JavaScript's \s, which holds U+FEFF and lacks U+0085; Rust's has White_Space.
// Both are rewritten as Split, whose patterns the library translates rightly. It can go when the library's source
// (src/core/preTokenizer/Digits.ts, ByteLevel.ts) has these classes; the tests of this file tell.
import type { Component } from './format.ts';

/** tokenizers, src/pre_tokenizers/byte_level.rs */
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

const split = (Regex: string): Component => ({
  type: 'Split',
  pattern: { Regex },
  behavior: 'Isolated',
  invert: false,
});

/** The same pre-tokenizer in terms that the library computes as the Rust one does. */
export function exactPreTokenizer(component: Component | null): Component | null {
  if (!component) return null;
  if (component.type === 'Sequence' && Array.isArray(component.pretokenizers)) {
    return { ...component, pretokenizers: component.pretokenizers.map(exactPreTokenizer) };
  }
  if (component.type === 'Digits') return split(component.individual_digits ? '\\p{N}' : '\\p{N}+');
  // With a prefix space the order of the two steps would matter; no model of our families asks for one.
  if (component.type === 'ByteLevel' && component.use_regex !== false && !component.add_prefix_space) {
    return { type: 'Sequence', pretokenizers: [split(GPT2), { ...component, use_regex: false }] };
  }
  return component;
}
