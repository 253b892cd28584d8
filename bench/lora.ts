// The LoRA step that benchmarks measure: a small model (4 layers, d 192, 6/2 heads, ffn 512, vocabulary 512), rank 8 on all
// seven linears, 4 x 256 tokens.
import type { JaxLora } from '../src/engine/cpu/jax.ts';
import { idsFor, small, weightsFor } from '../src/engine/cpu/testing.ts';
import { freshAdapter } from '../src/engine/model/adapter.ts';
import { LORA_TARGETS } from '../src/engine/types.ts';

export const optimizer = { lr: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 };

/** Multiply-adds of the linear layers, twice: forward and gradient of the input (not below the first block's q, k, v). */
export function linearFlops(tokens: number): number {
  const { hidden, heads, kvHeads, headDim, ffn, layers, vocab } = small;
  const qkv = hidden * (heads + 2 * kvHeads) * headDim;
  const block = qkv + heads * headDim * hidden + 3 * hidden * ffn;
  return 2 * tokens * (2 * (layers * block + vocab * hidden) - qkv);
}

/** The model, its adapter, a batch for us and the same one for jax-js, which weights all rows. */
export function loraStep() {
  const weights = weightsFor(small, 1, 0.05);
  const adapter = freshAdapter(small, { rank: 8, alpha: 16, targets: LORA_TARGETS }, 1);
  const sequences = [1, 2, 3, 4].map((seed) => idsFor(small, 257, seed));
  const batch = { sequences, weights: sequences.map((s) => s.map(() => 1)) };
  const peerBatch = {
    sequences: sequences.map((s) => s.slice(0, 256)),
    weights: batch.weights.map((w) => w.slice(0, 256)),
  };
  const values: Parameters<JaxLora['lossAndGradients']>[0] = new Map(
    adapter.layout.map(({ name, shape, offset }) => {
      return [name, { shape: [...shape], data: adapter.data.slice(offset, offset + shape[0] * shape[1]) }];
    }),
  );
  return { weights, adapter, batch, peerBatch, values, tokens: 1024 };
}
