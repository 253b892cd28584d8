// What goes wrong on a GPU has a code, and ends the run that it happened to.
import { describe, expect, it } from 'vitest';
import { adam, adapterFor, idsFor, lora4, tiny, weightsFor } from '../cpu/testing.ts';
import { checkAnswers } from '../known.ts';
import { fromF32, toF32 } from '../model/convert.ts';
import type { ModelWeights } from '../types.ts';
import { Gpu } from './device.ts';
import { WebGpuSession } from './session.ts';
import { sharedGpu } from './testing.ts';

const ask = { ids: idsFor(tiny, 10, 1), sampling: { temperature: 1, seed: 1, maxTokens: 4 } };
const sequences = [idsFor(tiny, 20, 1)];
const batch = { sequences, weights: [sequences[0]!.map(() => 1)] };

describe('numbers', () => {
  it('a NaN stops training before anything has changed, and generation; the session lives on', async () => {
    const session = await WebGpuSession.create(weightsFor(tiny), { device: await sharedGpu() });
    const bad = adapterFor(tiny, lora4);
    bad.data[3] = NaN;
    const trainer = session.trainAdapter(bad, adam);
    await expect(trainer.step(batch)).rejects.toMatchObject({ code: 'training/nan' });
    expect(Array.from((await trainer.adapter()).data.slice(4))).toEqual(Array.from(bad.data.slice(4)));
    expect((await trainer.optimizer()).m.every((x) => x === 0)).toBe(true);
    await expect(session.generate([{ ...ask, adapter: bad }])).rejects.toMatchObject({ code: 'model/nan' });
    await expect(session.score([[1, 2, 3]], { adapter: bad })).rejects.toMatchObject({ code: 'model/nan' });
    expect((await session.generate([ask]))[0]!.ids.length).toBe(4);
    await session.close();
    await expect(session.score([[1, 2]])).rejects.toMatchObject({ code: 'model/closed' });
  });
});

describe('known answers', () => {
  it('a device that computes as the processor does passes; one that does not is gpu/wrong', async () => {
    const device = await sharedGpu();
    const open = (weights: ModelWeights) => WebGpuSession.create(weights, { device });
    await checkAnswers(open);
    // One multiplication gone wrong, as a driver's fault would make it.
    const scaled = async (weights: ModelWeights) => {
      const tensors = new Map(weights.tensors);
      const name = 'model.layers.1.mlp.down_proj.weight';
      tensors.set(
        name,
        fromF32(
          toF32(tensors.get(name)!).map((x) => 1.01 * x),
          'f32',
          tensors.get(name)!.shape,
        ),
      );
      return open({ ...weights, tensors });
    };
    await expect(checkAnswers(scaled)).rejects.toMatchObject({ code: 'gpu/wrong' });
  });
});

describe('devices', () => {
  it('no WebGPU and no adapter are gpu/unavailable', async () => {
    const none = { requestAdapter: () => Promise.resolve(null) } as unknown as GPU;
    await expect(Gpu.open(none)).rejects.toMatchObject({ code: 'gpu/unavailable' });
  });

  it('a lost device rejects what runs and all that follows with gpu/lost', async () => {
    const device = await Gpu.open();
    const session = await WebGpuSession.create(weightsFor(tiny), { device });
    const running = session.generate([ask]);
    const lost = expect(running).rejects.toMatchObject({ code: 'gpu/lost' });
    await Promise.resolve();
    device.device.destroy();
    await lost;
    const step = session.trainAdapter(adapterFor(tiny, lora4), adam).step(batch);
    await expect(step).rejects.toMatchObject({ code: 'gpu/lost' });
  });

  it('an error that no scope catches makes results invalid', async () => {
    const device = await Gpu.open();
    const session = await WebGpuSession.create(weightsFor(tiny), { device });
    const heard = new Promise((resolve) => device.device.addEventListener('uncapturederror', resolve));
    device.device.createBuffer({ size: 16, usage: 0xffff });
    await device.device.queue.onSubmittedWorkDone(); // browsers send what is asked for together
    await heard;
    await expect(session.generate([ask])).rejects.toMatchObject({ code: 'gpu/invalid' });
    device.close();
  });

  it('buffers are as large as the adapter has; a larger one is refused before it is asked for', async () => {
    const device = await sharedGpu();
    const { limits } = (await navigator.gpu.requestAdapter())!;
    expect(device.largest).toBe(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize));
    expect(device.largest).toBeGreaterThanOrEqual(128 << 20);
    expect(() => device.take(device.largest / 4 + 1)).toThrow('One GPU buffer of');
  });
});
