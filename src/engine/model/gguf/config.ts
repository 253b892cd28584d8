// GGUF metadata -> ModelConfig. Refuses by name what the engine cannot compute, rather than compute it wrongly.
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (keys) and llama.cpp's src/llama-vocab.cpp (which
// tokens end a text).
import * as v from 'valibot';
import { CodedError } from '../../../errors.ts';
import type { ModelConfig } from '../../types.ts';
import { checkHeads, positive, tokenId, unsupported, whole } from '../config.ts';
import { validate } from '../json.ts';
import type { Metadata } from './metadata.ts';

const Keys = v.object({
  block_count: whole(1024),
  context_length: whole(2 ** 30),
  embedding_length: whole(2 ** 16),
  feed_forward_length: whole(2 ** 18),
  'attention.head_count': whole(1024),
  'attention.head_count_kv': v.optional(whole(1024)),
  'attention.key_length': v.optional(whole(4096)),
  'attention.value_length': v.optional(whole(4096)),
  'attention.layer_norm_rms_epsilon': v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  'attention.sliding_window': v.optional(v.number()),
  expert_count: v.optional(v.number()),
  'rope.freq_base': v.optional(positive),
  'rope.dimension_count': v.optional(v.number()),
  'rope.scaling.type': v.optional(v.string()),
  'rope.scaling.factor': v.optional(v.number()),
  'rope.scale_linear': v.optional(v.number()),
});

const FAMILIES: ReadonlyMap<string, ModelConfig['family']> = new Map([
  ['llama', 'llama'],
  ['qwen2', 'qwen2'],
  ['qwen3', 'qwen3'],
]);

/** Besides the tokens that the metadata names: a chat model may end a turn by any of these. */
const ENDS = new Set(['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|eom_id|>', '<|end_of_text|>']);
const CONTROL = 3;

/** Facts that only the tensors' directory knows. */
export interface Found {
  /** Rows of the embedding. */
  vocab: number;
  tied: boolean;
  /** Values of rope_freqs.weight, or null where there is none. */
  ropeFactors: number[] | null;
}

/** Errors: model/unsupported (another architecture, scaling, …), model/bad-file (missing or senseless values). */
export function ggufConfig(metadata: Metadata, found: Found): ModelConfig {
  const architecture = metadata.text('general.architecture') ?? '(none named)';
  const family = FAMILIES.get(architecture) ?? unsupported(`architecture ${architecture}`);
  const section = metadata.section(`${architecture}.`);
  for (const key of ['attention.head_count', 'attention.head_count_kv', 'feed_forward_length']) {
    if (Array.isArray(section[key])) unsupported(`${key}: another number for each layer`);
  }
  const keys = validate(Keys, section, `GGUF metadata: ${architecture}`);
  if (keys.expert_count) unsupported('a mixture of experts');
  if (keys['attention.sliding_window']) unsupported('sliding-window attention');
  const heads = keys['attention.head_count'];
  const kvHeads = keys['attention.head_count_kv'] ?? heads;
  const headDim = keys['attention.key_length'] ?? keys.embedding_length / heads;
  checkHeads(heads, kvHeads, headDim);
  if ((keys['attention.value_length'] ?? headDim) !== headDim) unsupported('values of another size than keys');
  if ((keys['rope.dimension_count'] ?? headDim) !== headDim) unsupported('partial rotary embedding');
  const scaling = keys['rope.scaling.type'] ?? 'none';
  const factor = keys['rope.scaling.factor'] ?? keys['rope.scale_linear'] ?? 1;
  if (scaling !== 'none' && !(scaling === 'linear' && factor === 1)) unsupported(`rope scaling ${scaling}`);
  if (scaling === 'none' && (keys['rope.scale_linear'] ?? 1) !== 1) unsupported('rope scaling linear');
  const { ropeFactors } = found;
  if (ropeFactors && !(ropeFactors.length === headDim / 2 && ropeFactors.every((x) => x > 0 && x < Infinity))) {
    throw new CodedError('model/bad-file', `rope_freqs.weight is not ${headDim / 2} positive numbers`);
  }
  return {
    family,
    vocab: found.vocab,
    hidden: keys.embedding_length,
    layers: keys.block_count,
    heads,
    kvHeads,
    headDim,
    ffn: keys.feed_forward_length,
    context: keys.context_length,
    normEps: keys['attention.layer_norm_rms_epsilon'],
    ropeTheta: keys['rope.freq_base'] ?? 10000,
    ropeScaling: ropeFactors && { type: 'factors', factors: ropeFactors },
    qkvBias: family === 'qwen2',
    qkNorm: family === 'qwen3',
    tied: found.tied,
    ...endsOf(metadata),
  };
}

function endsOf(metadata: Metadata): Pick<ModelConfig, 'bos' | 'eos'> {
  const Ids = v.object({
    bos_token_id: v.optional(tokenId),
    eos_token_id: v.optional(tokenId),
    eot_token_id: v.optional(tokenId),
    eom_token_id: v.optional(tokenId),
  });
  const ids = validate(Ids, metadata.section('tokenizer.ggml.'), 'GGUF metadata: tokenizer.ggml');
  const types = metadata.wholes('tokenizer.ggml.token_type') ?? [];
  const tokens = metadata.texts('tokenizer.ggml.tokens') ?? [];
  const named = [ids.eos_token_id, ids.eot_token_id, ids.eom_token_id].filter((id) => id !== undefined);
  const known = tokens.flatMap((token, id) => (types[id] === CONTROL && ENDS.has(token) ? [id] : []));
  return { bos: ids.bos_token_id ?? null, eos: [...new Set([...named, ...known])] };
}
