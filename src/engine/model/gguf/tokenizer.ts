// The tokenizer in a GGUF file's metadata -> the texts of tokenizer.json and tokenizer_config.json. Only byte-level BPE
// (`gpt2`), which all our families have. Knows nothing of encoding.
// Source: llama.cpp's src/llama-vocab.cpp (pre-tokenizers by name, their patterns) and the models' own tokenizer.json.
import { CodedError } from '../../../errors.ts';
import type { ModelTexts } from '../open.ts';
import type { Metadata } from './metadata.ts';

/** enum llama_token_type. */
const CONTROL = 3;
const USER_DEFINED = 4;

interface Kind {
  /** Patterns applied one after the other; null: GPT-2's own. */
  patterns: readonly string[] | null;
  digits?: boolean;
  /** As in the models' own tokenizer.json; llama.cpp leaves it out. */
  nfc?: boolean;
  /** A word that is a token is one, whatever the merges say. */
  wholeWords?: boolean;
  /** Where the file does not say. */
  addBos?: boolean;
}

/** `{1,3}` or nothing: how many digits stand together. */
const words = (digits: string): string =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${digits}` +
  '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

const GPT2: Kind = { patterns: null };
const SMOLLM: Kind = { patterns: null, digits: true };
const QWEN2: Kind = { patterns: [words('')], nfc: true };
const LLAMA3: Kind = { patterns: [words('{1,3}')], wholeWords: true, addBos: true };
/** What llama.cpp does for files that name none, `default`. */
const UNNAMED: Kind = {
  patterns: [
    '[\\p{P}\\$\\+<=>\\^~\\|]+',
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)",
    '\\p{N}+',
    '[0-9][0-9][0-9]',
  ],
};

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['gpt-2', GPT2],
  ['smollm', SMOLLM],
  ['qwen2', QWEN2],
  ['deepseek-r1-qwen', QWEN2],
  ['llama-bpe', LLAMA3],
  ['llama3', LLAMA3],
  ['llama-v3', LLAMA3],
  ['default', UNNAMED],
]);

function preTokenizer({ patterns, digits }: Kind): object {
  const split = (Regex: string): object => {
    return { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false };
  };
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: patterns === null };
  const first = digits ? [{ type: 'Digits', individual_digits: true }] : (patterns ?? []).map(split);
  return { type: 'Sequence', pretokenizers: [...first, bytes] };
}

function bad(what: string): CodedError {
  return new CodedError('model/bad-file', `GGUF metadata: ${what}`, 'The file is damaged: fetch it again.');
}

/** The name of the token whose id is under `key`. */
function named(metadata: Metadata, tokens: readonly string[], key: string): string | null {
  const id = metadata.whole(`tokenizer.ggml.${key}`);
  if (id === null) return null;
  return tokens[id] ?? fail(`${key} is ${id}, and there are ${tokens.length} tokens`);
}

const fail = (what: string): never => {
  throw bad(what);
};

/**
 * Texts that TextTokenizer and ChatTemplate read; all null in a file without a tokenizer. `vocab` is the embedding's
 * number of rows. Errors: model/bad-file, model/unsupported (another kind of tokenizer or pre-tokenizer).
 */
export function tokenizerTexts(metadata: Metadata, vocab: number): ModelTexts {
  const none: ModelTexts = { tokenizer: null, tokenizerConfig: null, generationConfig: null, chatTemplate: null };
  const model = metadata.text('tokenizer.ggml.model');
  if (model === null) return none;
  if (model !== 'gpt2') {
    const hint = 'Byte-pair tokenizers (gpt2) load: those of SmolLM2, Llama 3, Qwen2.5, Qwen3.';
    throw new CodedError('model/unsupported', `a tokenizer of the kind ${model}`, hint);
  }
  const pre = metadata.text('tokenizer.ggml.pre') ?? 'default';
  const kind = KINDS.get(pre);
  if (!kind) {
    throw new CodedError(
      'model/unsupported',
      `the pre-tokenizer ${pre}`,
      `These load: ${[...KINDS.keys()].join(', ')}.`,
    );
  }
  const tokens = metadata.texts('tokenizer.ggml.tokens') ?? fail('there are no tokens');
  const merges = metadata.texts('tokenizer.ggml.merges') ?? fail('there are no merges');
  const types = metadata.wholes('tokenizer.ggml.token_type') ?? tokens.map(() => 1);
  if (tokens.length > vocab) throw bad(`${tokens.length} tokens for ${vocab} rows of the embedding`);
  if (types.length !== tokens.length) throw bad(`${types.length} token types for ${tokens.length} tokens`);
  const wrong = merges.find((merge) => !/^[^ ]+ [^ ]+$/.test(merge));
  if (wrong !== undefined) throw bad(`the merge ${JSON.stringify(wrong)} is not two tokens`);
  const vocabulary = Object.fromEntries(tokens.map((token, id) => [token, id]));
  if (Object.keys(vocabulary).length !== tokens.length) throw bad('two tokens have one name');

  const added = tokens.flatMap((content, id) => {
    const special = types[id] === CONTROL;
    if (!special && types[id] !== USER_DEFINED) return [];
    return [{ id, content, special, single_word: false, lstrip: false, rstrip: false, normalized: false }];
  });
  const names = {
    bos_token: named(metadata, tokens, 'bos_token_id'),
    eos_token: named(metadata, tokens, 'eos_token_id'),
    pad_token: named(metadata, tokens, 'padding_token_id'),
    unk_token: named(metadata, tokens, 'unknown_token_id'),
  };
  const addBos = metadata.flag('tokenizer.ggml.add_bos_token') ?? kind.addBos ?? false;
  const addEos = metadata.flag('tokenizer.ggml.add_eos_token') ?? false;
  const file = {
    version: '1.0',
    added_tokens: added,
    normalizer: kind.nfc ? { type: 'NFC' } : null,
    pre_tokenizer: preTokenizer(kind),
    post_processor: affixes(vocabulary, addBos ? names.bos_token : null, addEos ? names.eos_token : null),
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab: vocabulary, merges, unk_token: null, ignore_merges: kind.wholeWords ?? false },
  };
  return {
    tokenizer: JSON.stringify(file),
    tokenizerConfig: JSON.stringify(names),
    generationConfig: null,
    chatTemplate: metadata.text('tokenizer.chat_template'),
  };
}

/** A post-processor that puts these tokens before and after a text. */
function affixes(ids: Record<string, number>, before: string | null, after: string | null): object | null {
  if (before === null && after === null) return null;
  const special = (id: string | null): object[] => (id === null ? [] : [{ SpecialToken: { id, type_id: 0 } }]);
  const used = [before, after].filter((id) => id !== null);
  return {
    type: 'TemplateProcessing',
    single: [...special(before), { Sequence: { id: 'A', type_id: 0 } }, ...special(after)],
    pair: [],
    special_tokens: Object.fromEntries(used.map((id) => [id, { id, ids: [ids[id]], tokens: [id] }])),
  };
}
