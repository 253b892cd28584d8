// The committed kernels are those of the sources; storage types; ops at odd shapes that whole models do not reach.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isBlockType } from '../model/blocks.ts';
import { fromF32, toF32 } from '../model/convert.ts';
import { BLOCKS } from '../model/dtype.ts';
import { expectedTensors } from '../model/tensors.ts';
import { createSession } from '../session.ts';
import type { DType, ModelConfig, ModelWeights, Tensor } from '../types.ts';
import { adam, adapterFor, blockTensor, idsFor, lora4, relativeError, tiny, weightsFor } from './testing.ts';

it.each(['plain', 'fused'] as const)(
  'compiling the %s kernels again gives the committed bytes',
  async (kind) => {
    const build = (await import(/* @vite-ignore */ new URL('./build.mjs', import.meta.url).href)) as {
      compile(fused: boolean): Promise<string>;
      generated: Record<'plain' | 'fused', string>;
    };
    expect((await build.compile(kind === 'fused')) === readFileSync(build.generated[kind], 'utf8')).toBe(true);
  },
  60_000,
);

const config: ModelConfig = { ...tiny, hidden: 32, heads: 4, headDim: 8, ffn: 64, vocab: 40 };
/** Rows of whole blocks of 256. */
const wide: ModelConfig = { ...tiny, layers: 1, hidden: 256, heads: 8, headDim: 32, ffn: 512, vocab: 40 };

/** A model stored in a type, and the same in f32: its exact values. */
function stored(dtype: DType): { packed: ModelWeights; exact: ModelWeights } {
  const [packed, exact] = [new Map<string, Tensor>(), new Map<string, Tensor>()];
  const shape = BLOCKS[dtype].weights > 32 ? wide : config;
  const { tensors } = weightsFor(shape);
  let seed = 0;
  for (const [name, sizes] of expectedTensors(shape)) {
    const values = tensors.get(name)!;
    const tensor =
      sizes.length === 1
        ? values
        : isBlockType(dtype)
          ? blockTensor(dtype, sizes, ++seed)
          : fromF32(toF32(values), dtype, sizes);
    packed.set(name, tensor);
    exact.set(name, fromF32(toF32(tensor), 'f32', sizes));
  }
  return { packed: { config: shape, tensors: packed }, exact: { config: shape, tensors: exact } };
}

it.each(['f16', 'bf16', 'q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1', 'q4_k', 'q6_k'] as const)(
  '%s weights compute what their f32 values do, forward and backward',
  async (dtype) => {
    const { packed, exact } = stored(dtype);
    const { config } = packed;
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

it('a block type keeps its bits: the session holds no more bytes than the file', async () => {
  const held = async (weights: ModelWeights): Promise<number> => {
    const session = await createSession(weights, { threads: 1 });
    const { bytes } = session.memory();
    await session.close();
    return bytes;
  };
  const { packed, exact } = stored('q4_k');
  const bytesOf = ({ tensors }: ModelWeights) => [...tensors.values()].reduce((sum, { data }) => sum + data.length, 0);
  expect((await held(exact)) - (await held(packed))).toBeGreaterThan(0.99 * (bytesOf(exact) - bytesOf(packed)));
});
