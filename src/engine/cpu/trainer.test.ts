// What a trainer promises beside right gradients: what moves and what does not, the same bytes with any number of
// threads and after a resume, accumulation, clipping, recomputation, errors, memory.
import { afterEach, describe, expect, it } from 'vitest';
import { freshAdapter } from '../model/adapter.ts';
import { loraLayout } from '../plan/shape.ts';
import { createSession } from '../session.ts';
import type { Adapter, Session, TrainBatch } from '../types.ts';
import { CpuSession } from './session.ts';
import { adam, adapterFor, idsFor, lora4, relativeError, tiny, weightsFor } from './testing.ts';

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
async function session(options = {}): Promise<Session> {
  const made = await createSession(weightsFor(tiny), { threads: 1, ...options });
  open.push(made);
  return made;
}
const batch = (seed: number, count = 3): TrainBatch => {
  const sequences = Array.from({ length: count }, (_, i) => idsFor(tiny, 12 + 17 * i, seed * 10 + i));
  return { sequences, weights: sequences.map((s) => s.map((_, t) => (t > 2 ? 1 : 0))) };
};
const bytes = (values: Float32Array) =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex');
const slices = ({ layout, data }: Adapter) =>
  layout.map(({ name, shape, offset }) => ({ name, data: data.slice(offset, offset + shape[0] * shape[1]) }));

describe('LoRA', () => {
  it('lora_B leaves zero in the first step, all tensors have moved after the second, no base weight ever', async () => {
    const s = await session();
    const start = freshAdapter(tiny, lora4, 1);
    const before = await s.baseHash();
    const trainer = s.trainAdapter(start, adam);
    const same = async () => {
      const now = slices(await trainer.adapter());
      return slices(start).filter(({ data }, i) => bytes(data) === bytes(now[i]!.data));
    };
    expect((await same()).length).toBe(start.layout.length);
    await trainer.step(batch(1));
    expect((await same()).map(({ name }) => name)).toEqual(
      start.layout.map(({ name }) => name).filter((name) => name.endsWith('lora_A.weight')),
    );
    await trainer.step(batch(2));
    expect(await same()).toEqual([]);
    expect(await s.baseHash()).toBe(before);
    expect(await (await createSession(weightsFor(tiny, 2), { threads: 1 })).baseHash()).not.toBe(before);
  });

  it('the loss falls, and generation and scoring under the trained adapter agree with it', async () => {
    const s = await session();
    const trainer = s.trainAdapter(freshAdapter(tiny, lora4, 1), adam);
    const data = batch(1, 1);
    const losses: number[] = [];
    for (let i = 0; i < 30; i++) losses.push((await trainer.step(data)).loss);
    expect(losses.at(-1)!).toBeLessThan(losses[0]! / 3);
    const [scores] = await s.score(data.sequences, { adapter: await trainer.adapter() });
    const mean = -scores!.logprobs.subarray(2).reduce((a, b) => a + b) / (scores!.logprobs.length - 2);
    expect(Math.abs(mean - (await trainer.accumulate(data)))).toBeLessThan(1e-5);
  });

  it('has the same bytes with one and two threads, after a resume, and with recomputed activations', async () => {
    const run = async (options: object, pause = false) => {
      const s = await session(options);
      let trainer = s.trainAdapter(freshAdapter(tiny, lora4, 1), { ...adam, weightDecay: 0.1, clip: 0.5 });
      for (let i = 0; i < 4; i++) {
        await trainer.step(batch(i));
        if (!pause || i !== 1) continue;
        const [adapter, state] = [await trainer.adapter(), await trainer.optimizer()];
        trainer.dispose();
        trainer = s.trainAdapter(adapter, { ...adam, weightDecay: 0.1, clip: 0.5 });
        trainer.restore(state);
      }
      return bytes((await trainer.adapter()).data);
    };
    const plain = await run({});
    expect(await run({ threads: 2 })).toBe(plain);
    expect(await run({}, true)).toBe(plain);
  });

  it('recomputes as many layers as the memory asks for, to the same bytes', async () => {
    const deep = { ...tiny, layers: 6 };
    const run = async (activationBytes: number) => {
      const s = await CpuSession.create(weightsFor(deep), { threads: 1 });
      open.push(s);
      Object.defineProperty(s, 'activationBytes', { value: activationBytes });
      const trainer = s.trainAdapter(freshAdapter(deep, lora4, 1), adam);
      for (let i = 0; i < 2; i++) await trainer.step(batch(i));
      return { adapter: bytes((await trainer.adapter()).data), peak: s.memory().peak };
    };
    const runs = [];
    for (const room of [1, 500_000, 600_000, 750_000, 2 ** 30]) runs.push(await run(room));
    const peaks = runs.map(({ peak }) => peak);
    expect(peaks).toEqual([...peaks].sort((a, b) => a - b));
    expect(new Set(peaks).size).toBe(5);
    expect(new Set(runs.map(({ adapter }) => adapter)).size).toBe(1);
  });

  it('says before what a step takes; cached pages leave where activations need their room', async () => {
    const s = await CpuSession.create(weightsFor(tiny), { threads: 1 });
    open.push(s);
    const roomy = s.trainingMemory(64, lora4);
    expect(roomy).toMatchObject({ layers: 2, refreshed: 0, recomputed: 0 });
    await s.generate([{ ids: idsFor(tiny, 40, 1), sampling: { temperature: 1, seed: 1, maxTokens: 4 } }]);
    const trainer = s.trainAdapter(adapterFor(tiny, lora4), adam);
    await trainer.step(batch(1));
    expect(s.pool.heldBytes).toBeGreaterThan(0);
    const tight = (activationBytes: number) => {
      Object.defineProperty(s, 'activationBytes', { value: activationBytes, configurable: true });
      return s.trainingMemory(64, lora4);
    };
    const activations = roomy.bytes - 16 * loraLayout(tiny, lora4).words;
    expect(tight(activations).recomputed).toBe(0);
    expect(tight(activations - 4).refreshed).toBeGreaterThan(0);
    expect(tight(1)).toMatchObject({ refreshed: 2, recomputed: 2 });
    expect(tight(1).bytes).toBeLessThan(roomy.bytes);
    await trainer.step(batch(1));
    expect(s.pool.heldBytes).toBe(0);
  });

  it('accumulates: two halves are the whole', async () => {
    const s = await session();
    const whole = batch(1, 4);
    const normalizer = whole.weights.flatMap((w) => Array.from(w).slice(1)).reduce((a, b) => a + b);
    const half = (from: number) => ({
      ...{ sequences: whole.sequences.slice(from, from + 2), weights: whole.weights.slice(from, from + 2), normalizer },
    });
    const [one, two] = [0, 0].map(() => s.trainAdapter(adapterFor(tiny, lora4), adam));
    const loss = await one!.accumulate(whole);
    expect((await two!.accumulate(half(0))) + (await two!.accumulate(half(2)))).toBeCloseTo(loss, 5);
    for (const [name, { data }] of await one!.gradients()) {
      expect(relativeError((await two!.gradients()).get(name)!.data, data), name).toBeLessThan(1e-5);
    }
  });

  it('clips by the global norm and decays weights apart from the gradient', async () => {
    const s = await session();
    const adapter = adapterFor(tiny, lora4);
    const settings = { ...adam, weightDecay: 0.3, clip: 0.01, eps: 1e-3 };
    const trainer = s.trainAdapter(adapter, settings);
    const { gradNorm } = await trainer.step(batch(1), 0.05);
    const gradients = await trainer.gradients();
    const all = [...gradients.values()].flatMap(({ data }) => Array.from(data));
    expect(gradNorm).toBeCloseTo(Math.sqrt(all.reduce((sum, g) => sum + g * g, 0)), 5);
    const now = await trainer.adapter();
    for (const { name, offset } of adapter.layout) {
      const g = (gradients.get(name)!.data[0]! * 0.01) / gradNorm;
      const expected = adapter.data[offset]! * (1 - 0.05 * 0.3) - (0.05 * g) / (Math.abs(g) + 1e-3);
      expect(Math.abs(now.data[offset]! - expected), name).toBeLessThan(2e-6);
    }
  });
});

describe('all weights', () => {
  it('train; the cache of old keys and values is dropped; weights and moments can be saved and resumed', async () => {
    const s = await session({ threads: 2 });
    const ask = () => s.generate([{ ids: idsFor(tiny, 40, 1), sampling: { temperature: 0, seed: 1, maxTokens: 8 } }]);
    await ask();
    const before = await s.baseHash();
    const trainer = s.trainAll(adam);
    const data = batch(3);
    const first = (await trainer.step(data)).loss;
    const [saved, state] = [await trainer.weights(), await trainer.optimizer()];
    expect(await s.baseHash()).not.toBe(before);
    expect((await ask())[0]!.cachedTokens).toBe(0);

    const resumed = await createSession(saved, { threads: 1 });
    open.push(resumed);
    expect(await resumed.baseHash()).toBe(await s.baseHash());
    const second = resumed.trainAll(adam);
    second.restore(state);
    for (let i = 0; i < 20; i++) {
      const loss = (await trainer.step(data)).loss;
      expect((await second.step(data)).loss).toBe(loss);
      if (i === 19) expect(loss).toBeLessThan(first / 2);
    }
    expect(await resumed.baseHash()).toBe(await s.baseHash());
    expect(await resumed.generate([{ ids: [1, 2], sampling: { temperature: 1, seed: 1, maxTokens: 8 } }])).toEqual(
      await s.generate([{ ids: [1, 2], sampling: { temperature: 1, seed: 1, maxTokens: 8 } }]),
    );
  });
});

describe('errors and memory', () => {
  it('refuses batches without meaning', async () => {
    const s = await session();
    const trainer = s.trainAdapter(freshAdapter(tiny, lora4, 1), adam);
    const ids = [1, 2, 3];
    const code = (weights: number[], more = {}) =>
      trainer.accumulate({ sequences: [ids], weights: [weights], ...more }).then(
        () => 'none',
        (error: { code: string }) => error.code,
      );
    expect(await code([1, 0, 0])).toBe('training/no-weight');
    expect(await code([0, 1, -1])).toBe('training/no-normalizer');
    expect(await code([0, 1, -1], { normalizer: 2 })).toBe('none');
    expect(await code([0, 1])).toBe('training/weights');
    expect(await code([0, 1, NaN])).toBe('training/weights');
    await expect(trainer.accumulate({ sequences: [[1, 99]], weights: [[0, 1]] })).rejects.toMatchObject({
      code: 'model/token',
    });
    await expect(s.trainAll(adam).adapter()).rejects.toThrow('LoRA');
    await expect(trainer.weights()).rejects.toThrow('all weights');
  });

  it('a NaN stops training with its code', async () => {
    const bad = adapterFor(tiny, lora4);
    bad.data[3] = NaN;
    const trainer = (await session()).trainAdapter(bad, adam);
    await expect(trainer.step(batch(1))).rejects.toMatchObject({ code: 'training/nan' });
  });

  it('everything is given back', async () => {
    const s = await session();
    const use = async () => {
      const trainer = s.trainAdapter(freshAdapter(tiny, lora4, 1), adam);
      await trainer.step(batch(1));
      trainer.dispose();
      await expect(trainer.step(batch(1))).rejects.toMatchObject({ code: 'training/disposed' });
    };
    await use();
    const { bytes: base } = s.memory();
    for (let i = 0; i < 3; i++) await use();
    expect(s.memory().bytes).toBe(base);
    expect(s.memory().peak).toBeGreaterThan(base);
    await s.close();
    await expect(s.score([[1, 2]])).rejects.toMatchObject({ code: 'model/closed' });
  });
});
