// Hugging Face models of four families, written as llama.cpp's converter does, are the same models.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createSession } from '../../session.ts';
import type { ModelWeights } from '../../types.ts';
import { directoryFiles } from '../files.node.ts';
import { memoryFile, modelFiles } from '../files.ts';
import { openModel } from '../open.ts';
import { asGguf, type Typed } from './testing.ts';

const names = ['llama-tied-f32', 'llama3-ropescaling-bf16', 'qwen2-bias-f16', 'qwen3-headdim-sharded-bf16'];

async function huggingFace(name: string): Promise<ModelWeights> {
  const folder = fileURLToPath(new URL(`../../../../test/fixtures/references/families/${name}`, import.meta.url));
  return (await openModel(await directoryFiles(folder))).weights;
}

const open = (bytes: Uint8Array) => openModel(modelFiles([memoryFile('m.gguf', bytes)]));

describe.each(names)('%s', (name) => {
  it('has the same shape and the same weights', async () => {
    const right = await huggingFace(name);
    const ids: Record<string, Typed> = { 'tokenizer.ggml.eos_token_id': [4, 2], 'tokenizer.ggml.bos_token_id': [4, 1] };
    const { config, tensors } = (await open(asGguf(right, ids))).weights;
    const { normEps, ropeScaling, bos, eos, ...same } = config;
    expect(right.config).toMatchObject(same);
    expect(Math.fround(right.config.normEps)).toBe(normEps);
    expect([bos, eos]).toEqual([1, [2]]);
    expect(ropeScaling?.type).toBe(right.config.ropeScaling ? 'factors' : undefined);
    expect([...tensors.keys()].sort()).toEqual([...right.tensors.keys()].sort());
    for (const [key, { dtype, shape, data }] of right.tensors) {
      const found = tensors.get(key)!;
      expect([found.dtype, found.shape]).toEqual([dtype, shape]);
      expect(Buffer.from(found.data).equals(Buffer.from(data)), key).toBe(true);
    }
  });
});

it('scaled rotary frequencies give the logits of the four numbers that they come from', async () => {
  const right = await huggingFace('llama3-ropescaling-bf16');
  const ids = Array.from({ length: 200 }, (_, i) => (i * 37) % 300);
  const last: Float32Array[] = [];
  for (const weights of [right, (await open(asGguf(right))).weights]) {
    const session = await createSession(weights, { threads: 1 });
    const [score] = await session.score([ids], { last: true });
    last.push(score!.last!);
    await session.close();
  }
  const differences = last[0]!.map((x, i) => Math.abs(x - last[1]![i]!));
  expect(Math.max(...last[0]!.map(Math.abs))).toBeGreaterThan(0.5);
  expect(Math.max(...differences)).toBeLessThan(1e-4); // f32 divisors, rounded once more
});

describe('what the engine would compute wrongly is refused by name', async () => {
  const llama = await huggingFace('llama-tied-f32');
  it.each<[string, Record<string, Typed>, string]>([
    ['architecture', { 'general.architecture': [8, 'gemma2'] }, 'gemma2'],
    ['linear scaling', { 'llama.rope.scaling.type': [8, 'linear'], 'llama.rope.scaling.factor': [6, 4] }, 'linear'],
    ['old linear scaling', { 'llama.rope.scale_linear': [6, 4] }, 'linear'],
    ['yarn', { 'llama.rope.scaling.type': [8, 'yarn'] }, 'yarn'],
    ['experts', { 'llama.expert_count': [4, 8] }, 'experts'],
    ['partial rotary', { 'llama.rope.dimension_count': [4, 4] }, 'partial'],
    ['window', { 'llama.attention.sliding_window': [4, 128] }, 'window'],
    ['heads per layer', { 'llama.attention.head_count': [9, [4, [4, 2]]] }, 'each layer'],
    ['tokenizer', { 'tokenizer.ggml.model': [8, 'llama'] }, 'llama'],
    ['pre-tokenizer', { 'tokenizer.ggml.model': [8, 'gpt2'], 'tokenizer.ggml.pre': [8, 'dbrx'] }, 'dbrx'],
  ])('%s', async (_, more, what) => {
    const message = expect.stringContaining(what) as string;
    await expect(open(asGguf(llama, more))).rejects.toMatchObject({ code: 'model/unsupported', message });
  });

  it('a tensor too many, a tensor too few, another shape', async () => {
    const tensors = new Map(llama.tensors);
    const [name] = [...tensors.keys()].filter((key) => key.endsWith('norm.weight'));
    const biased = {
      ...llama,
      tensors: new Map([...tensors, ['model.layers.0.self_attn.q_proj.bias', tensors.get(name!)!]]),
    };
    await expect(open(asGguf(biased))).rejects.toMatchObject({ code: 'model/unsupported' });
    tensors.delete(name!);
    await expect(open(asGguf({ ...llama, tensors }))).rejects.toMatchObject({ code: 'model/tensor' });
    const other = { 'llama.feed_forward_length': [4, llama.config.ffn + 8] } as Record<string, Typed>;
    await expect(open(asGguf(llama, other))).rejects.toMatchObject({ code: 'model/tensor' });
    const files = modelFiles([memoryFile('a.gguf', asGguf(llama)), memoryFile('b.GGUF', asGguf(llama))]);
    await expect(openModel(files)).rejects.toMatchObject({ code: 'model/bad-file' });
  });
});
