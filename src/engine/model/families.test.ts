// The four reference models (transformers wrote them; see test/fixtures/references/families) through the front door.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../errors.ts';
import { formatConfig, parseConfig } from './config.ts';
import { fromF32 } from './convert.ts';
import { directoryFiles } from './files.node.ts';
import { memoryFile } from './files.ts';
import type { FileSource } from './files.ts';
import { modelHash, modelInfo } from './info.ts';
import { openModel } from './open.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';
import { expectedTensors } from './tensors.ts';

const folder = (name: string) =>
  fileURLToPath(new URL(`../../../test/fixtures/references/families/${name}`, import.meta.url));
const shared = { vocab: 320, hidden: 64, layers: 2, heads: 4, kvHeads: 2, ffn: 176, normEps: 1e-5 };
const families = {
  'llama-tied-f32': {
    ...{ ...shared, family: 'llama', headDim: 16, context: 256, ropeTheta: 1e4, ropeScaling: null },
    ...{ qkvBias: false, qkNorm: false, tied: true, bos: 1, eos: [2] },
  },
  'llama3-ropescaling-bf16': {
    ...{ ...shared, family: 'llama', headDim: 16, context: 131072, ropeTheta: 5e5 },
    ropeScaling: { type: 'llama3', factor: 32, lowFreqFactor: 1, highFreqFactor: 4, originalContext: 16 },
    ...{ qkvBias: false, qkNorm: false, tied: false, bos: 1, eos: [2] },
  },
  'qwen2-bias-f16': {
    ...{ ...shared, family: 'qwen2', headDim: 16, context: 256, ropeTheta: 1e6, ropeScaling: null },
    ...{ qkvBias: true, qkNorm: false, tied: true, bos: null, eos: [] },
  },
  'qwen3-headdim-sharded-bf16': {
    ...{ ...shared, family: 'qwen3', headDim: 32, context: 256, ropeTheta: 1e6, ropeScaling: null },
    ...{ qkvBias: false, qkNorm: true, tied: true, bos: null, eos: [] },
  },
};

describe.each(Object.entries(families))('%s', (name, config) => {
  it('opens with its shape, types and parameters', async () => {
    const files = await directoryFiles(folder(name));
    const { weights, texts } = await openModel(files, { finite: true });
    expect(weights.config).toEqual(config);
    expect(parseConfig(formatConfig(weights.config, 'f32'))).toEqual(config);
    const dtype = /(f32|bf16|f16)$/.exec(name)![0];
    expect(new Map([...weights.tensors].map(([key, { shape }]) => [key, shape]))).toEqual(
      expectedTensors(weights.config),
    );
    const info = modelInfo(weights);
    expect(info.types).toEqual({ [dtype]: weights.tensors.size });
    if (name.startsWith('qwen3')) expect([info.parameters, info.bytes]).toEqual([137664, 275328]); // its index says so
    expect(texts.generationConfig).toContain('transformers_version');
    expect(texts.tokenizer).toBe(null);
  });
});

describe('openModel', () => {
  const name = 'llama-tied-f32';
  const codeOf = async (changes: Record<string, FileSource | null>, options = {}, from = name): Promise<string> => {
    const files = new Map(await directoryFiles(folder(from)));
    for (const [key, file] of Object.entries(changes)) {
      if (file) files.set(key, file);
      else files.delete(key);
    }
    return openModel(files, options).then(
      () => 'no error',
      (error: unknown) => (error instanceof CodedError ? `${error.code}: ${error.message}` : String(error)),
    );
  };
  const weights = async () => readSafetensors((await directoryFiles(folder(name))).get('model.safetensors')!);
  const norm = 'model.layers.1.input_layernorm.weight';

  it('names the tensor that is missing or misshapen', async () => {
    const lacking = await weights();
    lacking.delete(norm);
    const file = memoryFile('model.safetensors', writeSafetensors(lacking));
    expect(await codeOf({ 'model.safetensors': file })).toBe(`model/tensor: tensor ${norm} is missing`);
    const misshapen = (await weights()).set(norm, fromF32(new Float32Array(63), 'f32', [63]));
    const other = memoryFile('model.safetensors', writeSafetensors(misshapen));
    expect(await codeOf({ 'model.safetensors': other })).toMatch(/^model\/tensor: .*\[63\], not \[64\]/);
  });

  it('looks for NaN only when asked', async () => {
    const values = new Float32Array(64).fill(1);
    values[9] = NaN;
    const file = memoryFile(
      'model.safetensors',
      writeSafetensors((await weights()).set(norm, fromF32(values, 'f32', [64]))),
    );
    expect(await codeOf({ 'model.safetensors': file })).toBe('no error');
    expect(await codeOf({ 'model.safetensors': file }, { finite: true })).toMatch(/^model\/not-finite: .*index 9/);
  });

  it('refuses missing files, shards and folders with a code', async () => {
    const qwen3 = 'qwen3-headdim-sharded-bf16';
    expect(await codeOf({ 'config.json': null })).toMatch(/^model\/bad-file: there is no config/);
    expect(await codeOf({ 'model.safetensors': null })).toMatch(/^model\/bad-file: there is no model/);
    expect(await codeOf({ 'model-00002-of-00003.safetensors': null }, {}, qwen3)).toMatch(
      /^model\/bad-file: the shard/,
    );
    expect(await codeOf({ 'model.safetensors.index.json': memoryFile('i', '{}') }, {}, qwen3)).toMatch(
      /^model\/bad-file/,
    );
    expect(await codeOf({ 'config.json': null, 'm.gguf': memoryFile('m.gguf', 'GGUF') })).toMatch(/^model\/bad-file/);
    await expect(directoryFiles(folder('none'))).rejects.toMatchObject({ code: 'model/not-found' });
  });

  it('can be stopped, and tells how far it is', async () => {
    expect(await codeOf({}, { signal: AbortSignal.abort() })).toMatch(/^model\/aborted/);
    const seen: [number, number][] = [];
    await codeOf({}, { onProgress: (done: number, all: number) => seen.push([done, all]) });
    expect(seen.at(-1)).toEqual([451840, 451840]);
  });

  it('hashes content, not layout', async () => {
    const files = new Map(await directoryFiles(folder('qwen3-headdim-sharded-bf16')));
    const sharded = (await openModel(files)).weights;
    files.delete('model.safetensors.index.json');
    files.set('model.safetensors', memoryFile('model.safetensors', writeSafetensors(sharded.tensors)));
    const hash = await modelHash(sharded);
    expect(await modelHash((await openModel(files)).weights)).toBe(hash);
    const changed = { ...sharded, config: { ...sharded.config, normEps: 1e-6 } };
    expect(await modelHash(changed)).not.toBe(hash);
  });
});
