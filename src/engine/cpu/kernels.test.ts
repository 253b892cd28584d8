// The committed kernels are those of the sources; storage types; ops at odd shapes that whole models do not reach.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromF32, toF32 } from '../model/convert.ts';
import { expectedTensors } from '../model/tensors.ts';
import { createSession } from '../session.ts';
import type { DType, ModelConfig, ModelWeights, Tensor } from '../types.ts';
import { adam, adapterFor, idsFor, lora4, relativeError, tiny, weightsFor } from './testing.ts';

it('compiling the kernels again gives the committed bytes', async () => {
  const build = (await import(/* @vite-ignore */ new URL('./build.mjs', import.meta.url).href)) as {
    compile(): Promise<string>;
    generated: string;
  };
  expect((await build.compile()) === readFileSync(build.generated, 'utf8')).toBe(true);
}, 60_000);

const config: ModelConfig = { ...tiny, hidden: 32, heads: 4, headDim: 8, ffn: 64, vocab: 40 };

/** The same model stored in a type, and its exact values as f32. */
function stored(dtype: DType): { packed: ModelWeights; exact: ModelWeights } {
  const [packed, exact] = [new Map<string, Tensor>(), new Map<string, Tensor>()];
  const { tensors } = weightsFor(config);
  for (const [name, shape] of expectedTensors(config)) {
    const values = toF32(tensors.get(name)!);
    const tensor = fromF32(values, shape.length === 1 ? 'f32' : dtype, shape);
    packed.set(name, tensor);
    exact.set(name, fromF32(toF32(tensor), 'f32', shape));
  }
  return { packed: { config, tensors: packed }, exact: { config, tensors: exact } };
}

it.each(['f16', 'bf16', 'q8_0'] as const)(
  '%s weights compute what their f32 values do, forward and backward',
  async (dtype) => {
    const { packed, exact } = stored(dtype);
    const results = [];
    for (const weights of [packed, exact]) {
      const session = await createSession(weights, { threads: 1 });
      const adapter = adapterFor(config, lora4);
      const trainer = session.trainAdapter(adapter, adam);
      const sequences = [idsFor(config, 33, 1), idsFor(config, 6, 2)];
      const loss = await trainer.accumulate({ sequences, weights: sequences.map((s) => s.map(() => 1)) });
      const outs = await session.generate([
        { ids: sequences[1]!, sampling: { temperature: 1, seed: 3, maxTokens: 20 }, adapter },
      ]);
      results.push({ loss, ids: outs[0]!.ids, gradients: await trainer.gradients() });
      if (weights === packed) expect(() => session.trainAll(adam)).toThrow('f32');
      await session.close();
    }
    const [a, b] = results as [(typeof results)[0], (typeof results)[0]];
    expect(a.loss).toBe(b.loss);
    expect(a.ids).toEqual(b.ids);
    for (const [name, { data }] of a.gradients) expect(relativeError(data, b.gradients.get(name)!.data), name).toBe(0);
  },
);

it('types without a kernel are refused by name', async () => {
  const weights = weightsFor(config);
  const name = 'model.layers.0.mlp.up_proj.weight';
  weights.tensors.set(name, { dtype: 'q4_0', shape: [64, 32], data: new Uint8Array(64 * 18) });
  await expect(createSession(weights)).rejects.toMatchObject({ code: 'model/dtype' });
});
