// One LoRA training step (forward, backward, AdamW) of a small model beside jax-js's wasm backend: 4 layers, d 192,
// 6/2 heads, ffn 512, vocabulary 512, rank 8 on all seven linears, 4 x 256 tokens.
import { CpuSession } from '../src/engine/cpu/session.ts';
import { jaxLora } from '../src/engine/cpu/jax.ts';
import { idsFor, small, weightsFor } from '../src/engine/cpu/testing.ts';
import { freshAdapter } from '../src/engine/model/adapter.ts';
import { LORA_TARGETS } from '../src/engine/types.ts';
import { type BenchResult, inTurns, place, sharesOf } from './result.ts';

const optimizer = { lr: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 };

/** Multiply-adds of the linear layers, twice: forward and gradient of the input (not below the first block's q, k, v). */
function flops(tokens: number): number {
  const { hidden, heads, kvHeads, headDim, ffn, layers, vocab } = small;
  const qkv = hidden * (heads + 2 * kvHeads) * headDim;
  const block = qkv + heads * headDim * hidden + 3 * hidden * ffn;
  return 2 * tokens * (2 * (layers * block + vocab * hidden) - qkv);
}

export async function run(options: { rounds?: number; threads?: number; peer?: boolean } = {}): Promise<BenchResult[]> {
  const { rounds = 7, threads, peer = true } = options;
  const weights = weightsFor(small, 1, 0.05);
  const adapter = freshAdapter(small, { rank: 8, alpha: 16, targets: LORA_TARGETS }, 1);
  const sequences = [1, 2, 3, 4].map((seed) => idsFor(small, 257, seed));
  const batch = { sequences, weights: sequences.map((s) => s.map(() => 1)) };
  const session = await CpuSession.create(weights, threads === undefined ? {} : { threads });
  const trainer = session.trainAdapter(adapter, optimizer);
  const values = new Map(
    adapter.layout.map(({ name, shape, offset }) => {
      return [name, { shape: [...shape], data: adapter.data.slice(offset, offset + shape[0] * shape[1]) }];
    }),
  );
  const jax = peer
    ? await jaxLora(weights, adapter, { ...batch, sequences: sequences.map((s) => s.slice(0, 256)) })
    : null;
  const ours = () => trainer.step(batch);
  const theirs = async () => jax?.lossAndGradients(values);
  await inTurns(2, [ours, theirs]);
  const [oursMs, peerMs] = (await inTurns(rounds, [ours, theirs])) as [number, number];
  session.executor.startTiming();
  for (let i = 0; i < 5; i++) await ours();
  const shares = sharesOf(session.executor.times());
  const notes = `${(flops(1024) / oursMs / 1e6).toFixed(1)} GFLOP/s over the linear layers' work`;
  const result = { name: 'lora-step', ...place(session.threads), engine: 'cpu' as const, oursMs, shares, notes };
  trainer.dispose();
  await session.close();
  return [{ ...result, peer: 'jax-js 0.1.25 wasm', peerMs, ratio: peerMs / oursMs }];
}
