// The check of a gradient, right and wrong ones, on the CPU executor; webgpu/session.gpu.test.ts has the GPU's.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adapterFor, idsFor, lora4, tiny, weightsFor } from './cpu/testing.ts';
import { checkGradient } from './gradient.ts';
import { freshAdapter } from './model/adapter.ts';
import { createSession } from './session.ts';
import type { Session, TrainBatch } from './types.ts';

let session: Session;
beforeAll(async () => {
  session = await createSession(weightsFor(tiny), { threads: 1 });
});
afterAll(() => session.close());

const adapter = adapterFor(tiny, lora4);
const sequences = [idsFor(tiny, 40, 1), idsFor(tiny, 23, 2)];
const batch: TrainBatch = { sequences, weights: sequences.map((ids) => ids.map((_, t) => (t % 3 === 0 ? 0 : 1))) };
const tensor = (layer: number, module: string, half: 'A' | 'B') =>
  `base_model.model.model.layers.${layer}.${module}.lora_${half}.weight`;

/** The same session, whose gradients are changed on their way out. */
const tampered = (
  change: (data: Float32Array, shape: number[]) => Float32Array,
): Pick<Session, 'score' | 'trainAdapter'> => ({
  score: (...args) => session.score(...args),
  trainAdapter: (...args) => {
    const trainer = session.trainAdapter(...args);
    const gradients = async () =>
      new Map(
        [...(await trainer.gradients())].map(([name, { shape, data }]) => [name, { shape, data: change(data, shape) }]),
      );
    return new Proxy(trainer, {
      get: (target, key: keyof typeof trainer) => {
        if (key === 'gradients') return gradients;
        const value: unknown = target[key];
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
  },
});

it.each([
  [0, 'self_attn.q_proj', 'A'],
  [0, 'self_attn.k_proj', 'B'],
  [1, 'self_attn.v_proj', 'B'],
  [1, 'self_attn.o_proj', 'A'],
  [0, 'mlp.gate_proj', 'A'],
  [1, 'mlp.down_proj', 'B'],
] as const)('the engine’s own gradient agrees: layer %d, %s, %s', async (layer, module, half) => {
  const seen: number[] = [];
  const check = await checkGradient(session, adapter, batch, tensor(layer, module, half), (done) => seen.push(done));
  expect(check).toMatchObject({ verdict: 'agrees', tokens: 63 });
  expect(check.parts).toHaveLength(8);
  expect(check.parts[0]!.engine).toBeGreaterThan(0);
  expect(seen).toEqual(Array.from({ length: 34 }, (_, i) => i + 1));
});

it.each([
  ['three in a hundred too large', (data: Float32Array) => data.map((value) => value * 1.03)],
  ['the wrong way round', (data: Float32Array) => data.map((value) => -value)],
  ['zero', (data: Float32Array) => data.map(() => 0)],
  ['zero at its end', (data: Float32Array) => data.map((value, i) => (i < data.length * 0.9 ? value : 0))],
  ['not a number', (data: Float32Array) => data.map(() => Number.NaN)],
  [
    'transposed',
    (data: Float32Array, [rows, columns]: number[]) =>
      data.map((_, i) => data[(i % rows!) * columns! + Math.floor(i / rows!)]!),
  ],
])('a gradient that is %s differs', async (_, change) => {
  const check = await checkGradient(tampered(change), adapter, batch, tensor(1, 'self_attn.v_proj', 'B'));
  expect(check.verdict).toBe('differs');
});

it('where nothing can be seen it does not say that all is well: A of an adapter whose B is zero', async () => {
  const check = await checkGradient(session, freshAdapter(tiny, lora4, 1), batch, tensor(0, 'self_attn.q_proj', 'A'));
  expect(check.verdict).toBe('unclear');
});

it('a tensor that the adapter does not have is a coded error', async () => {
  await expect(checkGradient(session, adapter, batch, 'lm_head')).rejects.toMatchObject({ code: 'training/no-tensor' });
});
