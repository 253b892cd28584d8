import { describe, expect, it } from 'vitest';
import { CodedError } from '../../errors.ts';
import { formatConfig, parseConfig } from './config.ts';

const base = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: 100,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 128,
  max_position_embeddings: 512,
};
const parse = (changes: object, generation?: object) =>
  parseConfig(JSON.stringify({ ...base, ...changes }), generation && JSON.stringify(generation));
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof CodedError ? error.code : `not coded: ${String(error)}`;
  }
  return 'no error';
};

describe('parseConfig', () => {
  it("fills in transformers' defaults", () => {
    expect(parse({})).toEqual({
      ...{ family: 'llama', vocab: 100, hidden: 64, layers: 2, heads: 4, kvHeads: 4, headDim: 16, ffn: 128 },
      ...{ context: 512, normEps: 1e-6, ropeTheta: 10000, ropeScaling: null, qkvBias: false, qkNorm: false },
      ...{ tied: false, bos: null, eos: [] },
    });
  });

  it('reads rope from the old and the new place', () => {
    const llama3 = { factor: 32, high_freq_factor: 4, low_freq_factor: 1, original_max_position_embeddings: 8192 };
    const expected = { type: 'llama3', factor: 32, lowFreqFactor: 1, highFreqFactor: 4, originalContext: 8192 };
    const old = parse({ rope_theta: 5e5, rope_scaling: { ...llama3, rope_type: 'llama3' } });
    const modern = parse({ rope_parameters: { ...llama3, rope_type: 'llama3', rope_theta: 5e5 } });
    expect(old).toEqual(modern);
    expect([old.ropeTheta, old.ropeScaling]).toEqual([5e5, expected]);
    expect(parse({ rope_theta: 1e6, rope_scaling: null })).toMatchObject({ ropeTheta: 1e6, ropeScaling: null });
    expect(parse({ rope_parameters: { rope_type: 'default', rope_theta: 7 } })).toMatchObject({ ropeTheta: 7 });
  });

  it('knows what each family adds', () => {
    expect(parse({ architectures: ['Qwen2ForCausalLM'] })).toMatchObject({ family: 'qwen2', qkvBias: true });
    expect(parse({ architectures: undefined, model_type: 'qwen3', head_dim: 128 })).toMatchObject({
      ...{ family: 'qwen3', qkNorm: true, qkvBias: false, headDim: 128 },
    });
  });

  it('takes end tokens as number or list, and those of generation_config.json too', () => {
    expect(parse({ eos_token_id: 2 }).eos).toEqual([2]);
    expect(parse({ eos_token_id: [2, 3] }, { eos_token_id: [3, 9] }).eos).toEqual([2, 3, 9]);
    expect(parse({ eos_token_id: null }, { eos_token_id: 5, bos_token_id: 1 })).toMatchObject({ eos: [5], bos: 1 });
  });

  it.each([
    { architectures: ['MistralForCausalLM'] },
    { architectures: ['__proto__'] },
    { architectures: ['GPT2LMHeadModel'], hidden_size: undefined },
    { architectures: undefined, model_type: undefined },
    { rope_scaling: { type: 'linear', factor: 2 } },
    { rope_scaling: { rope_type: 'yarn', factor: 2 } },
    { rope_parameters: { rope_type: 'default', partial_rotary_factor: 0.5 } },
    { hidden_act: 'gelu' },
    { attention_bias: true },
    { mlp_bias: true },
    { use_sliding_window: true },
    { layer_types: ['full_attention', 'sliding_attention'] },
    { quantization_config: { quant_method: 'awq' } },
  ])('refuses what the engine does not compute: %j', (changes) => {
    expect(codeOf(() => parse(changes))).toBe('model/unsupported');
  });

  it.each([
    { vocab_size: undefined },
    { vocab_size: '100' },
    { hidden_size: 0 },
    { hidden_size: 1e12 },
    { num_hidden_layers: 1.5 },
    { num_attention_heads: 3 },
    { num_key_value_heads: 3 },
    { head_dim: 15 },
    { rms_norm_eps: 'x' },
    { rope_theta: -1 },
    { rope_scaling: { rope_type: 'llama3', factor: 8 } },
    { eos_token_id: [-1] },
    { eos_token_id: 'x' },
  ])('refuses senseless fields: %j', (changes) => {
    expect(codeOf(() => parse(changes))).toBe('model/bad-file');
  });

  it('refuses text that is not a config', () => {
    for (const text of ['', '{', '[]', 'null', '3', '<!doctype html>']) {
      expect(codeOf(() => parseConfig(text))).toBe('model/bad-file');
    }
  });
});

describe('formatConfig', () => {
  it('is read back as the same config', () => {
    const llama3 = { factor: 32, high_freq_factor: 4, low_freq_factor: 1, original_max_position_embeddings: 8192 };
    for (const changes of [
      { tie_word_embeddings: true, eos_token_id: 2, bos_token_id: 1 },
      { rope_parameters: { ...llama3, rope_type: 'llama3', rope_theta: 5e5 }, eos_token_id: [1, 2] },
      { architectures: ['Qwen2ForCausalLM'], num_key_value_heads: 2 },
      { architectures: ['Qwen3ForCausalLM'], head_dim: 32, rms_norm_eps: 1e-5 },
    ]) {
      const config = parse(changes);
      expect(parseConfig(formatConfig(config, 'bf16'))).toEqual(config);
    }
  });
});
