// Whole models on the GPU beside the CPU executor (itself held to float64, finite differences, transformers and jax-js):
// gradients, ten training steps, generation, storage types, what is made and submitted in a step.
import { beforeAll, describe, expect, it } from 'vitest';
import { adam, adapterFor, blockTensor, idsFor, lora4, relativeError, tiny, weightsFor } from '../cpu/testing.ts';
import { decoding, stopping } from '../cpu/testing.ts';
import { checkGradient } from '../gradient.ts';
import { isBlockType } from '../model/blocks.ts';
import { fromF32, toF32 } from '../model/convert.ts';
import { BLOCKS } from '../model/dtype.ts';
import { expectedTensors } from '../model/tensors.ts';
import { createSession } from '../session.ts';
import type { DType, GenerateRequest, ModelConfig, ModelWeights, Session, Tensor, TrainBatch } from '../types.ts';
import type { Gpu } from './device.ts';
import { WebGpuSession } from './session.ts';
import { sharedGpu } from './testing.ts';

let device: Gpu;
beforeAll(async () => {
  device = await sharedGpu();
});

/** The same work on the CPU and on the GPU. */
async function both<T>(weights: ModelWeights, work: (session: Session) => Promise<T>): Promise<{ cpu: T; gpu: T }> {
  const sessions = [await createSession(weights, { threads: 1 }), await WebGpuSession.create(weights, { device })];
  try {
    const [cpu, gpu] = [await work(sessions[0]!), await work(sessions[1]!)];
    return { cpu, gpu };
  } finally {
    for (const session of sessions) await session.close();
  }
}

const batchFor = (config: ModelConfig): TrainBatch => {
  const sequences = [37, 5, 66].map((length, i) => idsFor(config, length, i));
  return {
    sequences,
    weights: sequences.map((s, i) => s.map((_, t) => (t % 3 === 0 ? 0 : ((t + i) % 5) - 1.5))),
    normalizer: 20,
  };
};

type Gradients = Awaited<ReturnType<ReturnType<Session['trainAll']>['gradients']>>;
function sameGradients(gpu: Gradients, cpu: Gradients): void {
  expect([...gpu.keys()]).toEqual([...cpu.keys()]);
  for (const [name, { shape, data }] of cpu) {
    expect(gpu.get(name)!.shape).toEqual(shape);
    expect(relativeError(gpu.get(name)!.data, data), name).toBeLessThan(1e-4);
  }
}

const shapes: Record<string, ModelConfig> = {
  'llama, tied': tiny,
  'qwen2: biases, untied': { ...tiny, family: 'qwen2', qkvBias: true, tied: false, vocab: 41 },
  'qwen3: q and k norms, one kv head': { ...tiny, family: 'qwen3', qkNorm: true, kvHeads: 1, headDim: 16, layers: 1 },
};

describe.each(Object.entries(shapes))('%s', (_, config) => {
  it('has the CPU’s loss and gradients of a LoRA adapter and of all weights', async () => {
    const { cpu, gpu } = await both(weightsFor(config), async (session) => {
      const results = [];
      for (const trainer of [session.trainAdapter(adapterFor(config, lora4), adam), session.trainAll(adam)]) {
        results.push({ loss: await trainer.accumulate(batchFor(config)), gradients: await trainer.gradients() });
        trainer.dispose();
      }
      return results;
    });
    cpu.forEach(({ loss, gradients }, i) => {
      expect(Math.abs(gpu[i]!.loss - loss)).toBeLessThan(1e-5 * Math.max(1, Math.abs(loss)));
      sameGradients(gpu[i]!.gradients, gradients);
    });
  });
});

describe('the check of a gradient', () => {
  it('agrees on this executor, and says so when a gradient is a few hundredths off', async () => {
    const session = await WebGpuSession.create(weightsFor(tiny), { device });
    const sequences = [idsFor(tiny, 24, 1)];
    const batch = { sequences, weights: sequences.map((ids) => ids.map((_, t) => (t > 3 ? 1 : 0))) };
    const tensor = 'base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight';
    const check = (on: Pick<Session, 'score' | 'trainAdapter'>) =>
      checkGradient(on, adapterFor(tiny, lora4), batch, tensor);
    expect((await check(session)).verdict).toBe('agrees');
    const off: Pick<Session, 'score' | 'trainAdapter'> = {
      score: (...args) => session.score(...args),
      trainAdapter(...args) {
        const trainer = session.trainAdapter(...args);
        const right = trainer.gradients.bind(trainer);
        trainer.gradients = async () => {
          const gradients = await right();
          for (const { data } of gradients.values()) data.forEach((value, i) => (data[i] = value * 1.04));
          return gradients;
        };
        return trainer;
      },
    };
    expect((await check(off)).verdict).toBe('differs');
    await session.close();
  });
});

describe('ten training steps', () => {
  it('of an adapter: losses to 1e-4, then the same adapter and moments', async () => {
    const sequences = [20, 31].map((length, i) => idsFor(tiny, length, i));
    const batch = { sequences, weights: sequences.map((s) => s.map((_, t) => (t > 3 ? 1 : 0))) };
    const { cpu, gpu } = await both(weightsFor(tiny), async (session) => {
      const trainer = session.trainAdapter(adapterFor(tiny, lora4), { ...adam, weightDecay: 0.1, clip: 0.5 });
      const steps = [];
      for (let i = 0; i < 10; i++) steps.push(await trainer.step(batch));
      return {
        steps,
        adapter: await trainer.adapter(),
        optimizer: await trainer.optimizer(),
        hash: await session.baseHash(),
      };
    });
    cpu.steps.forEach(({ loss, gradNorm, tokens }, i) => {
      expect(Math.abs(gpu.steps[i]!.loss - loss), `step ${i + 1}`).toBeLessThan(1e-4);
      expect(Math.abs(gpu.steps[i]!.gradNorm / gradNorm - 1), `norm of step ${i + 1}`).toBeLessThan(1e-3);
      expect(gpu.steps[i]!.tokens).toBe(tokens);
    });
    expect(gpu.steps[9]!.loss).toBeLessThan(gpu.steps[0]!.loss * 0.8);
    expect(relativeError(gpu.adapter.data, cpu.adapter.data)).toBeLessThan(1e-3);
    expect(relativeError(gpu.optimizer.m, cpu.optimizer.m)).toBeLessThan(1e-3);
    expect(gpu.optimizer.step).toBe(10);
    expect(gpu.hash).toBe(cpu.hash); // no base weight moved, and both hold the same bytes
  });

  it('of all weights: losses to 1e-4; weights and moments can be saved and resumed', async () => {
    const batch = batchFor(tiny);
    const { cpu, gpu } = await both(weightsFor(tiny), async (session) => {
      const before = await session.baseHash();
      const trainer = session.trainAll({ ...adam, lr: 1e-3 });
      const losses = [];
      for (let i = 0; i < 4; i++) losses.push((await trainer.step(batch)).loss);
      expect(await session.baseHash()).not.toBe(before);
      const resumed =
        session.engine === 'webgpu'
          ? await WebGpuSession.create(await trainer.weights(), { device })
          : await createSession(await trainer.weights(), { threads: 1 });
      const second = resumed.trainAll({ ...adam, lr: 1e-3 });
      second.restore(await trainer.optimizer());
      for (let i = 4; i < 10; i++) losses.push((await second.step(batch)).loss);
      await resumed.close();
      return losses;
    });
    cpu.forEach((loss, i) => expect(Math.abs(gpu[i]! - loss), `step ${i + 1}`).toBeLessThan(1e-4));
  });

  it('makes one submit and no buffer a step, and the same loss with recomputed activations', async () => {
    const session = await WebGpuSession.create(weightsFor(tiny), { device });
    const trainer = session.trainAdapter(adapterFor(tiny, lora4), { ...adam, lr: 0 });
    const first = await trainer.step(batchFor(tiny));
    const { made, submits } = device;
    await trainer.step(batchFor(tiny));
    expect([device.made - made, device.submits - submits]).toEqual([0, 1]);
    Object.defineProperty(session, 'activationBytes', { value: 1 });
    expect((await trainer.step(batchFor(tiny))).loss).toBe(first.loss);
    await session.close();
  });
});

describe('generation', () => {
  const request = (length: number, seed: number, more: Partial<GenerateRequest> = {}): GenerateRequest => ({
    ...{ ids: idsFor(tiny, length, seed), sampling: { temperature: 0.9, topK: 20, topP: 0.95, seed, maxTokens: 12 } },
    ...more,
  });
  const many = (): GenerateRequest[] => [
    ...[1, 40, 33, 7, 64].map((length, i) => request(length, i)),
    request(20, 9, { adapter: adapterFor(tiny, lora4) }),
    request(9, 10, {
      adapter: adapterFor(tiny, lora4, 5),
      mask: () => Uint8Array.from({ length: 53 }, (_, i) => i % 2),
    }),
  ];

  it('gives the CPU’s tokens and log-probabilities, many sequences at once and with remembered beginnings', async () => {
    const { cpu, gpu } = await both(weightsFor(tiny), async (session) => {
      const first = await session.generate(many());
      const longer = many().map((old, i) => ({ ...old, ids: [...Array.from(old.ids), ...first[i]!.ids, 1, 2, 3] }));
      return [...first, ...(await session.generate(longer))];
    });
    cpu.forEach((out, i) => {
      expect(gpu[i]!.ids).toEqual(out.ids);
      expect([gpu[i]!.finish, gpu[i]!.cachedTokens]).toEqual([out.finish, out.cachedTokens]);
      expect(relativeError(gpu[i]!.logprobs, out.logprobs)).toBeLessThan(1e-4);
      expect(Math.max(...gpu[i]!.maskedMass.map((x, t) => Math.abs(x - out.maskedMass[t]!)))).toBeLessThan(1e-5);
    });
  });

  it('gives the CPU’s greedy tokens wherever the margin exceeds 1e-3', async () => {
    const requests = Array.from({ length: 6 }, (_, seed) =>
      request(5 + 9 * seed, seed, { sampling: { temperature: 0, seed, maxTokens: 20 } }),
    );
    const { cpu, gpu } = await both(weightsFor(tiny), async (session) => ({
      outs: await session.generate(requests),
      last: await session.score(
        requests.map(({ ids }) => ids),
        { last: true },
      ),
    }));
    let compared = 0;
    for (const [i, out] of cpu.outs.entries()) {
      for (const [t, id] of out.ids.entries()) {
        const ids = [...Array.from(requests[i]!.ids), ...out.ids.slice(0, t)];
        const session = await margins(ids);
        if (session < 1e-3) break; // from here on either is right
        expect(gpu.outs[i]!.ids[t], `sequence ${i}, token ${t}`).toBe(id);
        compared++;
      }
      expect(relativeError(gpu.last[i]!.last!, cpu.last[i]!.last!)).toBeLessThan(1e-5);
      expect(relativeError(gpu.last[i]!.logsumexp, cpu.last[i]!.logsumexp)).toBeLessThan(1e-5);
    }
    expect(compared).toBeGreaterThan(60);
    await reference?.close();
  });

  let reference: Session | null = null;
  /** By how much the CPU's largest logit leads. */
  async function margins(ids: number[]): Promise<number> {
    reference ??= await createSession(weightsFor(tiny), { threads: 1 });
    const [scores] = await reference.score([ids], { last: true });
    const sorted = scores!.last!.slice().sort();
    return sorted.at(-1)! - sorted.at(-2)!;
  }

  it('several tokens a submit are those of one, to the bit', async () => {
    async function decoded(passes: number) {
      const session = await WebGpuSession.create(weightsFor(stopping), { device });
      expect(session.passes(1)).toBe(8); // so small a model
      Object.defineProperty(session, 'passes', { value: () => passes });
      const { submits } = device;
      const outs = await session.generate(decoding());
      const made = device.submits - submits;
      const longer = decoding().map((old, i) => ({
        ...old,
        ids: [...Array.from(old.ids), ...outs[i]!.ids, 1].slice(-100),
      }));
      outs.push(...(await session.generate(longer)));
      await session.close();
      return { outs, made };
    }
    const [one, four, eight] = [await decoded(1), await decoded(4), await decoded(8)];
    expect(four.outs).toEqual(one.outs);
    expect(eight.outs).toEqual(one.outs);
    expect(new Set(one.outs.map(({ finish }) => finish))).toEqual(new Set(['stop', 'length', 'context']));
    expect(four.made).toBeLessThan(one.made / 2);
    expect(eight.made).toBeLessThan(four.made);
  });

  it('a sequence’s tokens do not depend on its batch mates', async () => {
    const session = await WebGpuSession.create(weightsFor(tiny), { device });
    const together = await session.generate(many());
    await session.close();
    for (const i of [1, 5]) {
      const alone = await WebGpuSession.create(weightsFor(tiny), { device });
      expect((await alone.generate([many()[i]!]))[0]!.ids).toEqual(together[i]!.ids);
      await alone.close();
    }
  });
});

describe('storage types', () => {
  const narrow: ModelConfig = { ...tiny, hidden: 32, heads: 4, headDim: 8, ffn: 64, vocab: 40 };
  /** Rows of whole blocks of 256. */
  const wide: ModelConfig = { ...tiny, layers: 1, hidden: 256, heads: 8, headDim: 32, ffn: 512, vocab: 40 };

  /** Each matrix in another of the types, and in the next layer again in another. */
  function stored(types: readonly DType[]): ModelWeights {
    const config = types.some((type) => BLOCKS[type].weights > 32) ? wide : narrow;
    const tensors = new Map<string, Tensor>();
    const { tensors: exact } = weightsFor(config);
    let matrix = 0;
    for (const [name, shape] of expectedTensors(config)) {
      const type = shape.length === 1 ? 'f32' : types[(matrix + Math.floor(matrix++ / 7)) % types.length]!;
      const values = toF32(exact.get(name)!);
      tensors.set(name, isBlockType(type) ? blockTensor(type, shape, matrix) : fromF32(values, type, shape));
    }
    return { config, tensors };
  }

  it.each([[['f16', 'bf16', 'q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1']], [['q4_k', 'q6_k']]] as const)(
    '%s weights: the CPU’s loss, gradients and tokens',
    async (types) => {
      const weights = stored(types);
      const { config } = weights;
      const { cpu, gpu } = await both(weights, async (session) => {
        const adapter = adapterFor(config, lora4);
        const trainer = session.trainAdapter(adapter, adam);
        const sequences = [idsFor(config, 33, 1), idsFor(config, 6, 2)];
        const loss = await trainer.accumulate({ sequences, weights: sequences.map((s) => s.map(() => 1)) });
        const sampling = { temperature: 1, seed: 3, maxTokens: 10 };
        const [out] = await session.generate([{ ids: sequences[1]!, sampling, adapter }]);
        expect(() => session.trainAll(adam)).toThrow('f32');
        return { loss, gradients: await trainer.gradients(), ids: out!.ids, hash: await session.baseHash() };
      });
      expect(Math.abs(gpu.loss - cpu.loss)).toBeLessThan(1e-5);
      sameGradients(gpu.gradients, cpu.gradients);
      expect(gpu.ids).toEqual(cpu.ids);
      expect(gpu.hash).toBe(cpu.hash);
    },
  );
});
