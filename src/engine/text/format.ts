// What we read of tokenizer.json and tokenizer_config.json, validated. Knows nothing of encoding.
import * as v from 'valibot';
import { CodedError } from '../../errors.ts';
import { parseJsonObject, validate } from '../model/json.ts';

const tokenId = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 22));

const AddedToken = v.looseObject({
  id: tokenId,
  content: v.pipe(v.string(), v.minLength(1)),
  special: v.optional(v.boolean(), false),
  lstrip: v.optional(v.boolean(), false),
  rstrip: v.optional(v.boolean(), false),
});
export type AddedToken = v.InferOutput<typeof AddedToken>;

const Component = v.looseObject({ type: v.string() });
export type Component = v.InferOutput<typeof Component>;

const TokenizerFile = v.looseObject({
  added_tokens: v.nullish(v.array(AddedToken), []),
  normalizer: v.nullish(Component, null),
  pre_tokenizer: v.nullish(Component, null),
  post_processor: v.nullish(Component, null),
  decoder: v.nullish(Component, null),
  model: v.looseObject({
    type: v.optional(v.string()),
    // A custom check: valibot's record would drop a token that is called `__proto__` or `constructor`.
    vocab: v.custom<Record<string, number>>(
      (vocab) => typeof vocab === 'object' && vocab !== null && Object.values(vocab).every((id) => v.is(tokenId, id)),
      'Expected token: id pairs',
    ),
    merges: v.nullish(v.array(v.union([v.string(), v.tuple([v.string(), v.string()])])), []),
    unk_token: v.nullish(v.string(), null),
  }),
});
export type TokenizerFile = v.InferOutput<typeof TokenizerFile>;

/** tokenizer.json. Errors: model/bad-file; model/unsupported (a model other than BPE). */
export function parseTokenizerFile(json: string): TokenizerFile {
  const raw = parseJsonObject(json, 'tokenizer.json');
  const kind = validate(
    v.object({ model: v.looseObject({ type: v.optional(v.string(), 'BPE') }) }),
    raw,
    'tokenizer.json',
  );
  if (kind.model.type !== 'BPE') {
    const hint = 'Llama, Qwen2 and Qwen3 models have byte-pair tokenizers.';
    throw new CodedError('model/unsupported', `a tokenizer of type ${kind.model.type}`, hint);
  }
  return validate(TokenizerFile, raw, 'tokenizer.json');
}

/** A normalizer, pre-tokenizer or decoder and all that it is a sequence of. */
export function componentsOf(component: Component | null): Component[] {
  if (!component) return [];
  const parts = component.normalizers ?? component.pretokenizers ?? component.decoders ?? component.processors;
  if (component.type !== 'Sequence' || !Array.isArray(parts)) return [component];
  return parts.flatMap((part) => (v.is(Component, part) ? componentsOf(part) : []));
}

const TokenName = v.nullish(v.union([v.string(), v.object({ content: v.string() })]));
const NamedTemplate = v.object({ name: v.string(), template: v.string() });

const TokenizerConfigFile = v.looseObject({
  bos_token: TokenName,
  eos_token: TokenName,
  pad_token: TokenName,
  unk_token: TokenName,
  chat_template: v.nullish(v.union([v.string(), v.array(NamedTemplate)])),
});

/** The special tokens by their roles, as the chat template sees them. */
export interface SpecialNames {
  bos_token: string | null;
  eos_token: string | null;
  pad_token: string | null;
  unk_token: string | null;
}

/** tokenizer_config.json: the names of special tokens, and the chat template if it is kept there. Errors: model/bad-file. */
export function parseTokenizerConfig(json: string | null): { names: SpecialNames; chatTemplate: string | null } {
  const what = 'tokenizer_config.json';
  const file = validate(TokenizerConfigFile, json === null ? {} : parseJsonObject(json, what), what);
  const name = (token: v.InferOutput<typeof TokenName>): string | null =>
    typeof token === 'string' ? token : (token?.content ?? null);
  const template = file.chat_template;
  return {
    names: {
      bos_token: name(file.bos_token),
      eos_token: name(file.eos_token),
      pad_token: name(file.pad_token),
      unk_token: name(file.unk_token),
    },
    chatTemplate: Array.isArray(template)
      ? ((template.find((one) => one.name === 'default') ?? template[0])?.template ?? null)
      : (template ?? null),
  };
}
