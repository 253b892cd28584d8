// Small models, adapters and batches for this folder's tests, and comparisons. Only tests import it.
import { adapterLayout, adapterSize } from '../model/adapter.ts';
import { toF32 } from '../model/convert.ts';
import { type BlockType, HALVES } from '../model/blocks.ts';
import { BLOCKS, byteLength } from '../model/dtype.ts';
import { f16Bits } from '../model/half.ts';
import { initWeights } from '../model/init.ts';
import { RandomStream } from '../model/random.ts';
import {
  type Adapter,
  type AdamW,
  type GenerateRequest,
  LORA_TARGETS,
  type LoraConfig,
  type ModelConfig,
  type ModelWeights,
  type Sampling,
  type Tensor,
} from '../types.ts';
import type { Parameters } from './reference.ts';

export const tiny: ModelConfig = {
  ...{ family: 'llama', vocab: 53, hidden: 20, layers: 2, heads: 4, kvHeads: 2, headDim: 8, ffn: 36, context: 128 },
  ...{ normEps: 1e-5, ropeTheta: 10000, ropeScaling: null, qkvBias: false, qkNorm: false, tied: true },
  ...{ bos: null, eos: [] },
};

/** The shape that the speed targets are stated for. */
export const small: ModelConfig = {
  ...tiny,
  ...{ vocab: 512, hidden: 192, layers: 4, heads: 6, kvHeads: 2, headDim: 32, ffn: 512, context: 1024 },
};

export const adam: AdamW = { lr: 1e-2, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 };
export const lora4: LoraConfig = { rank: 4, alpha: 8, targets: LORA_TARGETS };

/** Weights large enough to matter; norms and biases away from 1 and 0. */
export function weightsFor(config: ModelConfig, seed = 1, std = 0.2): ModelWeights {
  const weights = initWeights(config, seed, std);
  const random = new RandomStream(seed, 'vectors');
  for (const tensor of weights.tensors.values()) {
    if (tensor.shape.length > 1) continue;
    const values = new Float32Array(tensor.data.buffer, tensor.data.byteOffset, tensor.shape[0]);
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + 0.2 * random.normal();
  }
  return weights;
}

/** Largest |weight| / d of a type's blocks, about. */
const REACH: Record<BlockType, number> = {
  ...{ q8_0: 127, q4_0: 8, q4_1: 15, q5_0: 16, q5_1: 31, q4_k: 63 * 15, q6_k: 127 * 32 },
};

/** A tensor of random bits in a block type, weights up to about `most`, either sign of each f16. */
export function blockTensor(dtype: BlockType, shape: number[], seed: number, most = 0.4): Tensor {
  const random = new RandomStream(seed, `blocks ${dtype}`);
  const data = Uint8Array.from({ length: byteLength(dtype, shape) }, () => Math.floor(256 * random.uniform()));
  const { bytes } = BLOCKS[dtype];
  for (let block = 0; block < data.length; block += bytes) {
    for (const place of HALVES[dtype]) {
      const half = f16Bits((most / REACH[dtype]) * (2 * random.uniform() - 1));
      data.set([half & 255, half >> 8], block + place);
    }
  }
  return { dtype, shape, data };
}

/** An adapter with neither side zero. */
export function adapterFor(config: ModelConfig, lora: LoraConfig, seed = 2, std = 0.1): Adapter {
  const layout = adapterLayout(config, lora);
  const random = new RandomStream(seed, 'adapter');
  const data = Float32Array.from({ length: adapterSize(layout) }, () => std * random.normal());
  return { config: lora, layout, data };
}

export function idsFor(config: ModelConfig, length: number, seed: number): number[] {
  const random = new RandomStream(seed, 'ids');
  return Array.from({ length }, () => Math.floor(random.uniform() * config.vocab));
}

/** Ends of every kind, at tokens of their own: what decoding several tokens a run must not change. */
export const stopping: ModelConfig = { ...tiny, eos: [5, 11, 29] };
export function decoding(): GenerateRequest[] {
  const tokenText = (id: number) => String.fromCharCode(97 + (id % 26));
  const ask = (length: number, seed: number, sampling: Partial<Sampling>, more: Partial<GenerateRequest> = {}) => ({
    ids: idsFor(stopping, length, seed),
    sampling: { temperature: 0.9, seed, maxTokens: 23, ...sampling },
    ...more,
  });
  return [
    ...[ask(1, 1, {}), ask(40, 2, { topK: 20, topP: 0.95 }), ask(33, 3, { temperature: 0 }), ask(7, 4, { topK: 3 })],
    ...[ask(64, 5, { topP: 0.5, maxTokens: 3 }), ask(20, 6, {}, { adapter: adapterFor(stopping, lora4) })],
    ...[ask(121, 7, {}), ask(62, 8, { maxTokens: 50 }), ask(9, 9, { stop: ['a', 'q'] }, { tokenText })],
    ...[ask(12, 10, { temperature: 2, greedyAfter: 'c', maxTokens: 40 }, { tokenText }), ask(5, 11, { maxTokens: 1 })],
  ];
}

/** Everything as float64, under the names that gradients carry. */
export function parametersOf(weights: ModelWeights, adapter?: Adapter): Parameters {
  const all: Parameters = new Map();
  for (const [name, tensor] of weights.tensors) all.set(name, Float64Array.from(toF32(tensor)));
  for (const { name, shape, offset } of adapter?.layout ?? []) {
    all.set(name, Float64Array.from(adapter!.data.subarray(offset, offset + shape[0] * shape[1])));
  }
  return all;
}

/** Largest difference over the largest magnitude of what is expected. */
export function relativeError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let [difference, size] = [0, 1e-30];
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(found[i]! - expected[i]!));
    size = Math.max(size, Math.abs(expected[i]!));
    if (Number.isNaN(found[i]!)) return NaN;
  }
  return found.length === expected.length ? difference / size : NaN;
}
