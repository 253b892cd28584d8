// Hugging Face's config.json <-> ModelConfig. Refuses by name what the engine cannot compute, rather than compute it
// wrongly. Knows nothing of weights.
import * as v from 'valibot';
import { CodedError } from '../../errors.ts';
import type { DType, ModelConfig } from '../types.ts';
import { parseJsonObject, validate } from './json.ts';

export const whole = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most));
export const positive = v.pipe(v.number(), v.gtValue(0), v.finite());
export const tokenId = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const tokenIds = v.nullish(v.union([tokenId, v.array(tokenId)]));

/** Both the new `rope_parameters` and the old `rope_scaling` (which called its type `type`). */
const Rope = v.object({
  rope_type: v.nullish(v.string()),
  type: v.nullish(v.string()),
  rope_theta: v.nullish(positive),
  factor: v.nullish(positive),
  low_freq_factor: v.nullish(positive),
  high_freq_factor: v.nullish(positive),
  original_max_position_embeddings: v.nullish(whole(2 ** 30)),
  partial_rotary_factor: v.nullish(v.number()),
});

const HfConfig = v.object({
  architectures: v.nullish(v.array(v.string())),
  model_type: v.nullish(v.string()),
  vocab_size: whole(2 ** 22),
  hidden_size: whole(2 ** 16),
  num_hidden_layers: whole(1024),
  num_attention_heads: whole(1024),
  num_key_value_heads: v.nullish(whole(1024)),
  head_dim: v.nullish(whole(4096)),
  intermediate_size: whole(2 ** 18),
  max_position_embeddings: whole(2 ** 30),
  rms_norm_eps: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  rope_theta: v.nullish(positive),
  rope_parameters: v.nullish(v.record(v.string(), v.unknown())),
  rope_scaling: v.nullish(v.record(v.string(), v.unknown())),
  partial_rotary_factor: v.nullish(v.number()),
  hidden_act: v.nullish(v.string()),
  attention_bias: v.nullish(v.boolean()),
  mlp_bias: v.nullish(v.boolean()),
  tie_word_embeddings: v.nullish(v.boolean()),
  use_sliding_window: v.nullish(v.boolean()),
  layer_types: v.nullish(v.array(v.string())),
  quantization_config: v.optional(v.unknown()),
  bos_token_id: tokenIds,
  eos_token_id: tokenIds,
});
type HfConfig = v.InferOutput<typeof HfConfig>;

const GenerationConfig = v.object({ bos_token_id: tokenIds, eos_token_id: tokenIds });

const ARCHITECTURES: ReadonlyMap<string, ModelConfig['family']> = new Map([
  ['LlamaForCausalLM', 'llama'],
  ['Qwen2ForCausalLM', 'qwen2'],
  ['Qwen3ForCausalLM', 'qwen3'],
]);
const HINT = 'Models of the Llama, Qwen2 and Qwen3 families load: SmolLM2, Llama 3.2, Qwen2.5, Qwen3.';

export function unsupported(what: string, hint = HINT): never {
  throw new CodedError('model/unsupported', what, hint);
}

const Kind = v.pick(HfConfig, ['architectures', 'model_type']);

function familyOf({ architectures, model_type }: v.InferOutput<typeof Kind>): ModelConfig['family'] {
  const name = architectures?.[0];
  const family =
    name === undefined ? [...ARCHITECTURES.values()].find((one) => one === model_type) : ARCHITECTURES.get(name);
  return family ?? unsupported(`architecture ${name ?? model_type ?? '(none named)'}`);
}

function refuseOtherMaths(hf: HfConfig): void {
  if (hf.hidden_act && hf.hidden_act !== 'silu') unsupported(`activation ${hf.hidden_act}`);
  if (hf.attention_bias) unsupported('attention_bias: a bias on all four projections');
  if (hf.mlp_bias) unsupported('mlp_bias');
  if (hf.use_sliding_window) unsupported('sliding-window attention');
  const other = hf.layer_types?.find((type) => type !== 'full_attention');
  if (other !== undefined) unsupported(`layers of type ${other}`);
  if (hf.quantization_config) unsupported('weights quantised in Hugging Face layout', 'Use the f16 or bf16 original.');
  if ((hf.partial_rotary_factor ?? 1) !== 1) unsupported('partial rotary embedding');
}

function ropeOf(hf: HfConfig): Pick<ModelConfig, 'ropeTheta' | 'ropeScaling'> {
  const rope = validate(Rope, hf.rope_parameters ?? hf.rope_scaling ?? {}, 'config.json: rope parameters');
  if ((rope.partial_rotary_factor ?? 1) !== 1) unsupported('partial rotary embedding');
  const ropeTheta = rope.rope_theta ?? hf.rope_theta ?? 10000;
  const type = rope.rope_type ?? rope.type ?? 'default';
  if (type === 'default') return { ropeTheta, ropeScaling: null };
  if (type !== 'llama3') unsupported(`rope scaling ${type}`, 'Only the default and llama3 position scalings load.');
  const { factor, low_freq_factor, high_freq_factor, original_max_position_embeddings } = rope;
  if (!factor || !low_freq_factor || !high_freq_factor || !original_max_position_embeddings) {
    throw new CodedError('model/bad-file', 'config.json: llama3 rope scaling lacks one of its four numbers');
  }
  if (high_freq_factor <= low_freq_factor) {
    throw new CodedError('model/bad-file', 'config.json: high_freq_factor must exceed low_freq_factor');
  }
  const scaling = { type: 'llama3', factor, lowFreqFactor: low_freq_factor, highFreqFactor: high_freq_factor } as const;
  return { ropeTheta, ropeScaling: { ...scaling, originalContext: original_max_position_embeddings } };
}

/** Errors: model/bad-file. */
export function checkHeads(heads: number, kvHeads: number, headDim: number): void {
  if (heads % kvHeads !== 0) throw new CodedError('model/bad-file', `${heads} heads over ${kvHeads} key-value heads`);
  if (headDim % 2 !== 0) throw new CodedError('model/bad-file', `head size ${headDim} is not an even whole number`);
}

const listOf = (ids: number | number[] | null | undefined): number[] => (typeof ids === 'number' ? [ids] : (ids ?? []));

/**
 * The texts of config.json and, if there is one, generation_config.json (whose end tokens are added) as a ModelConfig.
 * Errors: model/unsupported (another architecture, scaling, activation …), model/bad-file (missing or senseless fields).
 * Source: transformers' configuration_llama.py, configuration_qwen2.py, configuration_qwen3.py.
 */
export function parseConfig(configJson: string, generationJson?: string | null): ModelConfig {
  const raw = parseJsonObject(configJson, 'config.json');
  const family = familyOf(validate(Kind, raw, 'config.json')); // first: other architectures name their sizes otherwise
  const hf = validate(HfConfig, raw, 'config.json');
  refuseOtherMaths(hf);
  const generation = generationJson
    ? validate(GenerationConfig, parseJsonObject(generationJson, 'generation_config.json'), 'generation_config.json')
    : {};
  const heads = hf.num_attention_heads;
  const kvHeads = hf.num_key_value_heads ?? heads;
  const headDim = hf.head_dim ?? hf.hidden_size / heads;
  checkHeads(heads, kvHeads, headDim);
  return {
    family,
    vocab: hf.vocab_size,
    hidden: hf.hidden_size,
    layers: hf.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    ffn: hf.intermediate_size,
    context: hf.max_position_embeddings,
    normEps: hf.rms_norm_eps ?? 1e-6,
    ...ropeOf(hf),
    qkvBias: family === 'qwen2',
    qkNorm: family === 'qwen3',
    tied: hf.tie_word_embeddings ?? false,
    bos: listOf(hf.bos_token_id)[0] ?? listOf(generation.bos_token_id)[0] ?? null,
    eos: [...new Set([...listOf(hf.eos_token_id), ...listOf(generation.eos_token_id)])],
  };
}

/**
 * A ModelConfig as the text of a config.json that transformers 4 and 5 both read (hence the older top-level rope
 * fields). `dtype` is the type that most weights are stored in. Errors: model/unsupported (GGUF's form of rope scaling).
 */
export function formatConfig(config: ModelConfig, dtype: DType): string {
  const architectures = [...ARCHITECTURES].flatMap(([name, family]) => (family === config.family ? [name] : []));
  const names: Partial<Record<DType, string>> = { f32: 'float32', f16: 'float16', bf16: 'bfloat16' };
  if (config.ropeScaling?.type === 'factors') unsupported('a config.json with a divisor per rotary frequency', '');
  const scaling = config.ropeScaling && {
    rope_type: config.ropeScaling.type,
    factor: config.ropeScaling.factor,
    low_freq_factor: config.ropeScaling.lowFreqFactor,
    high_freq_factor: config.ropeScaling.highFreqFactor,
    original_max_position_embeddings: config.ropeScaling.originalContext,
  };
  const hf = {
    architectures,
    model_type: config.family,
    vocab_size: config.vocab,
    hidden_size: config.hidden,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.ffn,
    max_position_embeddings: config.context,
    rms_norm_eps: config.normEps,
    rope_theta: config.ropeTheta,
    rope_scaling: scaling,
    hidden_act: 'silu',
    attention_bias: false,
    mlp_bias: false,
    use_sliding_window: false,
    tie_word_embeddings: config.tied,
    bos_token_id: config.bos,
    eos_token_id: config.eos.length === 1 ? config.eos[0] : config.eos.length === 0 ? null : config.eos,
    torch_dtype: names[dtype] ?? 'float32',
  };
  return `${JSON.stringify(hf, null, 2)}\n`;
}
