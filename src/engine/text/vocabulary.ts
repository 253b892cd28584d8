// A word-level tokenizer.json that loses nothing: each listed word is one token, all else falls back to bytes.
// Knows nothing of games; the words come from outside.
//
// How: a byte-pair model without merges but with `ignore_merges`, so that a pre-token in the vocabulary is one token and
// any other its bytes. Every alternative of the pre-tokenizer's pattern may begin with one space and holds no other
// white space, and looks ahead only for letters and digits, which a space or a line's end refuses like the text's end.
// Hence encode(a + b) = encode(a) + encode(b) whenever b begins with white space and a does not end in a space.
import { CodedError } from '../../errors.ts';
import { BYTE_CHARACTERS, toByteLevel, wellFormed } from './bytes.ts';

export const BOS = '<|bos|>';
export const EOS = '<|eos|>';
export const PAD = '<|pad|>';
const SPECIALS = [BOS, EOS, PAD];

// Written out, not \p{…}: a class of Unicode grows from version to version, and with it the ids that engines give.
// Latin letters to U+024F, ASCII digits, the 25 white-space characters; any other character is a sign by itself.
const LETTER = 'A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f';
const DIGIT = '0-9';
const SPACE = '\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';
const GENERIC = ` ?[${LETTER}]+| ?[${DIGIT}]+| ?[^${LETTER}${DIGIT}${SPACE}]|[${SPACE}]`;
const NO_MORE = `(?![${LETTER}${DIGIT}])`;
const endsWord = new RegExp(`[${LETTER}${DIGIT}]$`, 'u');
const spaceless = new RegExp(`^(?: ?[^${SPACE}]+|[${SPACE}])$`, 'u');
const genericWord = new RegExp(`^(?:${GENERIC})$`, 'u');

/** Words such as `up2`, ` +1`, `:4,3`, ` (4,3)` and ` 0.25`: one candidate here although the generic pattern would split them. */
const CANDIDATE = new RegExp(
  [`[${LETTER}]+[${DIGIT}]+`, `[+-][${DIGIT}]+`, `[${DIGIT}]+[,.][${DIGIT}]+`, `:[${DIGIT}]+,[${DIGIT}]+`]
    .map((word) => ` ?${word}${NO_MORE}`)
    .concat(` ?\\([${DIGIT}]+,[${DIGIT}]+\\)`)
    .concat(GENERIC)
    .join('|'),
  'gu',
);

interface Node {
  next: Map<string, Node>;
  /** What must follow a word that ends here; undefined when none does. */
  end?: string;
}

const escape = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&');

/** A trie's words as one pattern, longest first, so that matching costs a word's length and not the list's. */
function patternOf(node: Node): string {
  const branches = [...node.next].map(([char, child]) => escape(char) + patternOf(child));
  if (node.end === undefined) return branches.length === 1 ? branches[0]! : `(?:${branches.join('|')})`;
  return branches.length ? `(?:${branches.join('|')}|${node.end})` : node.end;
}

/** The pre-tokenizer's pattern: the listed words that the generic pattern would split, then the generic pattern. */
function splitPattern(words: readonly string[]): string {
  const root: Node = { next: new Map() };
  for (const word of words.filter((one) => !genericWord.test(one))) {
    let node = root;
    for (const char of word) {
      const child: Node = node.next.get(char) ?? { next: new Map() };
      node.next.set(char, child);
      node = child;
    }
    node.end = endsWord.test(word) ? NO_MORE : '';
  }
  return root.next.size ? `${patternOf(root)}|${GENERIC}` : GENERIC;
}

/**
 * The texts of tokenizer.json and tokenizer_config.json. Ids: <|bos|> 0, <|eos|> 1, <|pad|> 2, the 256 bytes from 3, the
 * words from 259 in the given order (repeated and one-byte words are not given twice). A word is exactly what is listed:
 * `UP` and ` UP` are two. It is one token wherever it stands between white space, ends of text or punctuation.
 * Errors: usage/vocabulary (a word that is empty, holds white space other than one leading space, a broken character,
 * or the name of a special token).
 */
export function buildVocabulary(words: readonly string[]): { tokenizerJson: string; tokenizerConfigJson: string } {
  const vocab = new Map<string, number>();
  const add = (token: string): void => {
    if (!vocab.has(token)) vocab.set(token, vocab.size);
  };
  [...SPECIALS, ...BYTE_CHARACTERS].forEach(add);
  for (const word of words) {
    const fits = spaceless.test(word) && wellFormed(word) === word;
    if (!fits || SPECIALS.some((special) => word.includes(special))) {
      throw new CodedError(
        'usage/vocabulary',
        `${JSON.stringify(word)} cannot be a word`,
        'One leading space at most.',
      );
    }
    add(toByteLevel(word));
  }
  const special = { special: true, normalized: false, lstrip: false, rstrip: false, single_word: false };
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIALS.map((content, id) => ({ id, content, ...special })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: splitPattern(words) }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: true,
      vocab: Object.fromEntries(vocab),
      merges: [],
    },
  };
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: BOS,
    eos_token: EOS,
    pad_token: PAD,
    clean_up_tokenization_spaces: false,
  };
  return {
    tokenizerJson: `${JSON.stringify(tokenizer)}\n`,
    tokenizerConfigJson: `${JSON.stringify(config, null, 2)}\n`,
  };
}

/**
 * The words of a corpus that occur at least `least` times: commonest first, equally common ones by code unit. A word
 * such as `up2` or ` +1` that is too rare counts as its parts. Single bytes are left out, as they are tokens anyway.
 */
export function wordsOf(texts: Iterable<string>, least = 1): string[] {
  const counts = new Map<string, number>();
  const count = (word: string, times: number): void => void counts.set(word, (counts.get(word) ?? 0) + times);
  for (const text of texts) for (const [word] of wellFormed(text).matchAll(CANDIDATE)) count(word, 1);
  const parts = new RegExp(GENERIC, 'gu');
  for (const [word, times] of [...counts]) {
    if (times >= least || genericWord.test(word)) continue;
    counts.delete(word);
    for (const [part] of word.matchAll(parts)) count(part, times);
  }
  return [...counts]
    .filter(([word, times]) => times >= least && toByteLevel(word).length > 1)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([word]) => word);
}
