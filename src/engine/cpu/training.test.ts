// Gradients of the whole step against the float64 reference, which is checked by finite differences.
import { afterEach, describe, expect, it } from 'vitest';
import { createSession } from '../session.ts';
import type { LoraConfig, ModelConfig, Session, TrainBatch } from '../types.ts';
import { Reference } from './reference.ts';
import { adam, adapterFor, idsFor, lora4, parametersOf, relativeError, tiny, weightsFor } from './testing.ts';

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
async function session(config: ModelConfig, threads = 1, seed = 1): Promise<Session> {
  const made = await createSession(weightsFor(config, seed), { threads });
  open.push(made);
  return made;
}

const shapes: Record<string, ModelConfig> = {
  'llama, tied': tiny,
  'qwen2: biases, untied': { ...tiny, family: 'qwen2', qkvBias: true, tied: false, vocab: 41 },
  'qwen3: q and k norms, one kv head': { ...tiny, family: 'qwen3', qkNorm: true, kvHeads: 1, headDim: 16, layers: 1 },
};

const batchFor = (config: ModelConfig): { batch: TrainBatch; reference: Parameters<Reference['loss']>[0] } => {
  const sequences = [37, 5, 66].map((length, i) => idsFor(config, length, i));
  const weights = sequences.map((s, i) => s.map((_, t) => (t % 3 === 0 ? 0 : ((t + i) % 5) - 1.5)));
  return { batch: { sequences, weights, normalizer: 20 }, reference: { sequences, weights, normalizer: 20 } };
};

describe('the float64 reference', () => {
  it.each(Object.entries(shapes))('agrees with finite differences: %s', (_, config) => {
    const adapter = adapterFor(config, lora4);
    const parameters = parametersOf(weightsFor(config), adapter);
    const batch = { sequences: [idsFor(config, 7, 1)], weights: [[0, 1, 0.5, -1, 0, 2, 1]], normalizer: 3 };
    const reference = new Reference(config, parameters, lora4);
    reference.loss(batch);
    for (const [name, values] of parameters) {
      const grads = reference.grads.get(name)!;
      for (const i of [0, Math.floor(values.length / 3), values.length - 1]) {
        const [h, old] = [1e-5, values[i]!];
        const at = (x: number) => {
          values[i] = x;
          return new Reference(config, parameters, lora4).loss(batch);
        };
        const slope = (at(old + h) - at(old - h)) / (2 * h);
        values[i] = old;
        expect(Math.abs(slope - grads[i]!), `${name}[${i}]`).toBeLessThan(1e-7 * Math.max(1, Math.abs(slope) * 100));
      }
    }
  });
});

describe('a training step', () => {
  it.each(Object.entries(shapes))('has the LoRA gradients of the reference: %s', async (_, config) => {
    const adapter = adapterFor(config, lora4);
    const { batch, reference } = batchFor(config);
    const trainer = (await session(config)).trainAdapter(adapter, adam);
    const expected = new Reference(config, parametersOf(weightsFor(config), adapter), lora4);
    const loss = expected.loss(reference);
    expect(Math.abs((await trainer.accumulate(batch)) - loss)).toBeLessThan(1e-5 * Math.max(1, Math.abs(loss)));
    for (const [name, { data }] of await trainer.gradients()) {
      expect(relativeError(data, expected.grads.get(name)!), name).toBeLessThan(1e-4);
    }
  });

  it.each(Object.entries(shapes))('has all gradients of the reference: %s', async (_, config) => {
    const { batch, reference } = batchFor(config);
    const trainer = (await session(config)).trainAll(adam);
    const expected = new Reference(config, parametersOf(weightsFor(config)));
    const loss = expected.loss(reference);
    expect(Math.abs((await trainer.accumulate(batch)) - loss)).toBeLessThan(1e-5 * Math.max(1, Math.abs(loss)));
    const gradients = await trainer.gradients();
    expect([...gradients.keys()].sort()).toEqual([...expected.grads.keys()].sort());
    for (const [name, { data }] of gradients) {
      expect(relativeError(data, expected.grads.get(name)!), name).toBeLessThan(1e-4);
    }
  });

  it('takes some targets, an odd rank, and two threads', async () => {
    const lora: LoraConfig = { rank: 3, alpha: 3, targets: ['q_proj', 'v_proj', 'down_proj'] };
    const adapter = adapterFor(tiny, lora);
    const { batch, reference } = batchFor(tiny);
    const trainer = (await session(tiny, 2)).trainAdapter(adapter, adam);
    const expected = new Reference(tiny, parametersOf(weightsFor(tiny), adapter), lora);
    expected.loss(reference);
    await trainer.accumulate(batch);
    for (const [name, { data }] of await trainer.gradients()) {
      expect(relativeError(data, expected.grads.get(name)!), name).toBeLessThan(1e-4);
    }
  });
});
