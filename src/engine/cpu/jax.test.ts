// Ten AdamW steps beside jax-js: its gradients, PyTorch's AdamW in float64 here, against ours.
import { expect, it } from 'vitest';
import { freshAdapter } from '../model/adapter.ts';
import { createSession } from '../session.ts';
import type { Adapter, ModelConfig, TrainBatch } from '../types.ts';
import { jaxLora } from './jax.ts';
import { adam, idsFor, lora4, relativeError, tiny, weightsFor } from './testing.ts';

const config: ModelConfig = { ...tiny, vocab: 61, hidden: 48, headDim: 16, heads: 3, kvHeads: 1, ffn: 72 };

const named = (adapter: Adapter) =>
  new Map(
    adapter.layout.map(({ name, shape, offset }) => {
      return [name, { shape: [...shape], data: adapter.data.slice(offset, offset + shape[0] * shape[1]) }];
    }),
  );

it('has the losses of ten steps to 1e-5 and every gradient to 1e-4', async () => {
  const weights = weightsFor(config);
  const adapter = freshAdapter(config, lora4, 3);
  const sequences = [0, 1, 2].map((seed) => idsFor(config, 20, seed));
  const batch: TrainBatch = { sequences, weights: sequences.map((s, i) => s.map((_, t) => (t > 3 ? 1 + i : 0))) };
  const peer = await jaxLora(weights, adapter, batch);
  const session = await createSession(weights, { threads: 2 });
  const trainer = session.trainAdapter(adapter, adam);
  const values = named(adapter);
  const moments = new Map(
    [...values].map(([name, { data }]) => [
      name,
      { m: new Float64Array(data.length), v: new Float64Array(data.length) },
    ]),
  );

  for (let step = 1; step <= 10; step++) {
    const theirs = await peer.lossAndGradients(values);
    const ours = await trainer.step(batch);
    expect(Math.abs(ours.loss - theirs.loss), `loss of step ${step}`).toBeLessThan(1e-5);
    const gradients = await trainer.gradients();
    for (const [name, g] of theirs.gradients) {
      if (g.some((x) => x !== 0)) expect(relativeError(gradients.get(name)!.data, g), name).toBeLessThan(1e-4);
      else expect(gradients.get(name)!.data.every((x) => x === 0)).toBe(true);
      const { m, v } = moments.get(name)!;
      const { data } = values.get(name)!;
      for (let i = 0; i < g.length; i++) {
        m[i] = adam.beta1 * m[i]! + (1 - adam.beta1) * g[i]!;
        v[i] = adam.beta2 * v[i]! + (1 - adam.beta2) * g[i]! ** 2;
        const root = Math.sqrt(v[i]!) / Math.sqrt(1 - adam.beta2 ** step) + adam.eps;
        data[i] = data[i]! - ((adam.lr / (1 - adam.beta1 ** step)) * m[i]!) / root;
      }
    }
  }
  await session.close();
}, 60_000);
