// The families' references (test/fixtures/references/families) on the GPU: transformers' logits and every weight's
// gradient where they are exact, the CPU executor's numbers for all.
import { beforeAll, describe, expect, it } from 'vitest';
import { toF32 } from '../model/convert.ts';
import { memoryFile, type ModelFiles, modelFiles } from '../model/files.ts';
import { openModel } from '../model/open.ts';
import { readSafetensors } from '../model/safetensors.ts';
import { createSession } from '../session.ts';
import type { Gpu } from './device.ts';
import { WebGpuSession } from './session.ts';
import { sharedGpu } from './testing.ts';

let device: Gpu;
beforeAll(async () => {
  device = await sharedGpu();
});

const FOLDER = 'test/fixtures/references/families';
const shards = [1, 2, 3].map((i) => `model-0000${i}-of-00003.safetensors`);
const families: Record<string, string[]> = {
  'llama-tied-f32': ['model.safetensors'],
  'llama3-ropescaling-bf16': ['model.safetensors'],
  'qwen2-bias-f16': ['model.safetensors'],
  'qwen3-headdim-sharded-bf16': ['model.safetensors.index.json', ...shards],
};

async function bytes(path: string): Promise<Uint8Array> {
  if (typeof document === 'undefined') return new Uint8Array(await (await import('node:fs/promises')).readFile(path));
  const response = await fetch(`/${path}`);
  expect(response.ok, path).toBe(true);
  return new Uint8Array(await response.arrayBuffer());
}

async function files(family: string): Promise<ModelFiles> {
  const names = ['config.json', 'expected.json', 'expected.safetensors', ...families[family]!];
  return modelFiles(
    await Promise.all(names.map(async (name) => memoryFile(name, await bytes(`${FOLDER}/${family}/${name}`)))),
  );
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (!(difference <= most)) most = difference; // a NaN stays
  }
  return most;
}

/** As in ../families.test.ts: logits reach 4. */
const TOLERANCE = 1.5e-5;

describe.each(Object.keys(families))('%s', (name) => {
  it('has the CPU’s logits and log-sum-exps at 48 positions; transformers’ where they are exact', async () => {
    const all = await files(name);
    const { weights } = await openModel(all);
    const { ids, loss } = JSON.parse(new TextDecoder().decode(await bytes(`${FOLDER}/${name}/expected.json`))) as {
      ids: number[];
      loss: number;
    };
    const expected = await readSafetensors(all.get('expected.safetensors')!);
    const logits = toF32(expected.get('logits')!);
    const prefixes = ids.map((_, t) => ids.slice(0, t + 1));
    const [cpu, gpu] = [await createSession(weights, { threads: 1 }), await WebGpuSession.create(weights, { device })];
    const { vocab } = cpu.config;
    const [ours, theirs] = [await gpu.score(prefixes, { last: true }), await cpu.score(prefixes, { last: true })];
    ours.forEach(({ last, logsumexp }, t) => {
      expect(distance(last!, theirs[t]!.last!)).toBeLessThan(TOLERANCE);
      expect(distance(logsumexp, theirs[t]!.logsumexp)).toBeLessThan(TOLERANCE);
      // Three references had their rotary frequencies rounded: see the fixtures' README.
      const row = logits.subarray(t * vocab, (t + 1) * vocab);
      expect(distance(last!, row)).toBeLessThan(name === 'llama-tied-f32' ? TOLERANCE : 0.04);
    });
    if (name === 'llama-tied-f32') {
      const trainer = gpu.trainAll({ lr: 0, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 });
      const got = await trainer.accumulate({ sequences: [ids], weights: [ids.map(() => 1)] });
      expect(Math.abs(got - loss)).toBeLessThan(1e-5);
      for (const [key, { data }] of await trainer.gradients()) {
        const grad = toF32(expected.get(`grad.${key}`)!);
        const size = Math.sqrt(grad.reduce((sum, x) => sum + x * x, 0) / grad.length);
        expect(distance(data, grad), key).toBeLessThan(1e-4 * size);
      }
    }
    for (const session of [cpu, gpu]) await session.close();
  });
});
