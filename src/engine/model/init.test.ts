import { describe, expect, it } from 'vitest';
import type { DType, ModelConfig, ModelWeights } from '../types.ts';
import { parseConfig } from './config.ts';
import { fromF32, toF32 } from './convert.ts';
import { modelHash, modelInfo } from './info.ts';
import { initWeights } from './init.ts';
import { memoryFile, modelFiles } from './files.ts';
import { openModel } from './open.ts';
import { saveModel } from './save.ts';
import { checkTensors } from './tensors.ts';

const config: ModelConfig = parseConfig(
  JSON.stringify({
    ...{ model_type: 'qwen2', vocab_size: 96, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4 },
    ...{ num_key_value_heads: 2, intermediate_size: 96, max_position_embeddings: 64, tie_word_embeddings: true },
  }),
);
/** All weights in another type. */
const castWeights = (weights: ModelWeights, dtype: DType): ModelWeights => ({
  config: weights.config,
  tensors: new Map([...weights.tensors].map(([name, tensor]) => [name, fromF32(toF32(tensor), dtype, tensor.shape)])),
});
const deviation = (values: Float32Array) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

describe('initWeights', () => {
  it('has every tensor, at its scale', () => {
    const { tensors } = initWeights(config, 3);
    checkTensors(config, tensors);
    const of = (name: string) => toF32(tensors.get(name)!);
    expect(deviation(of('model.embed_tokens.weight'))).toBeCloseTo(0.02, 3);
    expect(deviation(of('model.layers.1.self_attn.q_proj.weight'))).toBeCloseTo(0.02, 3);
    expect(deviation(of('model.layers.1.self_attn.o_proj.weight'))).toBeCloseTo(0.01, 3);
    expect(deviation(of('model.layers.0.mlp.down_proj.weight'))).toBeCloseTo(0.01, 3);
    expect(of('model.norm.weight').every((x) => x === 1)).toBe(true);
    expect(of('model.layers.0.self_attn.q_proj.bias').every((x) => x === 0)).toBe(true);
  });

  it('gives the same bits for a seed, for ever', async () => {
    const hash = await modelHash(initWeights(config, 3));
    expect(await modelHash(initWeights(config, 3))).toBe(hash);
    expect(await modelHash(initWeights(config, 4))).not.toBe(hash);
    expect(hash).toMatchInlineSnapshot(`"6c9b13646382294737197b5c6d0de6e9a327b4b233a9404817e472c1d5e6d2e0"`);
  });
});

describe('modelHash', () => {
  it('is the same by the platform and by ours', async () => {
    const weights = initWeights(config, 5);
    const native = await modelHash(weights);
    for (const tensor of weights.tensors.values()) {
      const shared = new Uint8Array(new SharedArrayBuffer(tensor.data.length));
      shared.set(tensor.data);
      tensor.data = shared;
    }
    expect(await modelHash(weights)).toBe(native);
  });
});

describe('saveModel', () => {
  it('is opened again as the same model', async () => {
    for (const dtype of ['f32', 'f16', 'bf16'] as const) {
      const weights = castWeights(initWeights(config, 3), dtype);
      const saved = saveModel(weights, { tokenizer: '{}', chatTemplate: 'x' });
      const opened = await openModel(modelFiles([...saved].map(([name, bytes]) => memoryFile(name, bytes))));
      expect(await modelHash(opened.weights)).toBe(await modelHash(weights));
      expect(opened.texts).toEqual({
        tokenizer: '{}',
        chatTemplate: 'x',
        tokenizerConfig: null,
        generationConfig: null,
      });
      const again = saveModel(opened.weights).get('model.safetensors')!;
      expect(Buffer.from(again).equals(saved.get('model.safetensors')!)).toBe(true);
    }
  });
});

describe('modelInfo', () => {
  it('counts, and says whether and why it trains', () => {
    const weights = castWeights(initWeights(config, 3), 'f16');
    const info = modelInfo(weights);
    const linear = 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 64 * 96 + 64 + 32 + 32 + 2 * 64);
    expect(info).toMatchObject({
      parameters: 96 * 64 + 64 + linear,
      bytes: 2 * (96 * 64 + 64 + linear),
      canTrain: true,
    });
    expect(info.types).toEqual({ f16: weights.tensors.size });
    expect(modelInfo(weights, 1000)).toMatchObject({ canTrain: false, why: expect.stringMatching(/more than/) });
  });
});
