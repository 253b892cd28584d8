// A device whose buffers are smaller than a model's largest tensors: what can be divided gives the results of one that is
// large enough, to the bit; what cannot is refused with a code before anything is computed, and the session lives on.
import { beforeAll, describe, expect, it } from 'vitest';
import { adam, adapterFor, idsFor, lora4, tiny, weightsFor } from '../cpu/testing.ts';
import type { GenerateRequest, ModelConfig, ModelWeights } from '../types.ts';
import type { Gpu } from './device.ts';
import { WebGpuSession } from './session.ts';
import { sharedGpu } from './testing.ts';

const KB = 1024;
/** Embedding and output head are 384 KB each in f32; everything else is small. */
const wide: ModelConfig = { ...tiny, family: 'qwen2', qkvBias: true, tied: false, vocab: 3069, hidden: 32 };

let device: Gpu;
let all: number;
beforeAll(async () => {
  device = await sharedGpu();
  all = device.largest;
});

/** A session while no buffer may be larger than `bytes`. */
async function within<T>(bytes: number, weights: ModelWeights, work: (session: WebGpuSession) => Promise<T>) {
  device.largest = bytes;
  try {
    const session = await WebGpuSession.create(weights, { device });
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  } finally {
    device.largest = all;
  }
}

const ask = (length: number, seed: number, more: Partial<GenerateRequest> = {}): GenerateRequest => ({
  ...{ ids: idsFor(wide, length, seed), sampling: { temperature: 0.9, seed, maxTokens: 5 } },
  ...more,
});

describe('a large vocabulary', () => {
  it('divided: tokens, scores, gradients and hash', async () => {
    const weights = weightsFor(wide);
    const work = async (session: WebGpuSession) => {
      const adapter = adapterFor(wide, lora4);
      const outs = await session.generate([ask(9, 1), ask(1, 2), ask(5, 3, { adapter })]);
      const scores = await session.score(
        [6, 4, 7].map((length) => idsFor(wide, length, length)),
        { last: true },
      );
      const trainer = session.trainAdapter(adapter, adam);
      const sequences = [idsFor(wide, 7, 4)];
      const { loss } = await trainer.step({ sequences, weights: sequences.map((ids) => ids.map(() => 1)) });
      return { outs, scores, loss, learnt: (await trainer.adapter()).data, hash: await session.baseHash() };
    };
    const whole = await within(all, weights, work);
    const before = device.made;
    expect(await within(256 * KB, weights, work)).toEqual(whole);
    expect(device.made - before).toBeGreaterThan(4);
  });

  it('all weights do not train in parts', () =>
    within(256 * KB, weightsFor(wide), async (session) => {
      expect(() => session.trainAll(adam)).toThrow(expect.objectContaining({ code: 'training/size' }));
    }));
});

describe('what a buffer cannot hold', () => {
  const lives = async (session: WebGpuSession) => expect((await session.generate([ask(3, 1)]))[0]!.ids.length).toBe(5);

  it('one row of a weight', () =>
    expect(within(512, weightsFor(wide), lives)).rejects.toMatchObject({
      code: 'model/memory',
      hint: expect.stringMatching(/smaller model/),
    }));

  it('temporaries of one long sequence, scored or trained on', () =>
    within(256 * KB, weightsFor(wide), async (session) => {
      await lives(session);
      const { submits } = device;
      const long = [idsFor(wide, 120, 1)];
      const refused = { code: 'model/memory', hint: expect.stringContaining('shorter') as unknown };
      await expect(session.score(long)).rejects.toMatchObject(refused);
      const trainer = session.trainAdapter(adapterFor(wide, lora4), adam);
      const batch = { sequences: long, weights: long.map((ids) => ids.map(() => 1)) };
      await expect(trainer.step(batch)).rejects.toMatchObject(refused);
      expect(device.submits).toBe(submits);
      await lives(session);
    }));

  it('pages of keys and values of one sequence', () =>
    within(64 * KB, weightsFor({ ...wide, vocab: 40, layers: 8 }), async (session) => {
      const long = ask(100, 1, { ids: idsFor(tiny, 100, 1).map((id) => id % 40) });
      await expect(session.generate([long])).rejects.toMatchObject({
        code: 'model/memory',
        hint: expect.stringContaining('Shorten') as unknown,
      });
    }));

  it('an adapter, and its moments', () =>
    within(256 * KB, weightsFor(wide), async (session) => {
      const { made } = device;
      const adapter = adapterFor(wide, { ...lora4, rank: 256 });
      const refused = expect.objectContaining({
        code: 'model/memory',
        hint: expect.stringContaining('rank') as unknown,
      });
      expect(() => session.trainAdapter(adapter, adam)).toThrow(refused);
      await expect(session.generate([ask(3, 1, { adapter })])).rejects.toEqual(refused);
      expect(device.made).toBe(made);
      await lives(session);
    }));
});
