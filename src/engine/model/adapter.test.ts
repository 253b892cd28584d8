import { describe, expect, it } from 'vitest';
import { CodedError } from '../../errors.ts';
import { hashBytes } from '../../hash.ts';
import { LORA_TARGETS } from '../types.ts';
import type { Adapter, LoraConfig, ModelConfig, Tensor } from '../types.ts';
import { adapterLayout, adapterNorms, adapterSize, adapterTensor, checkAdapter, freshAdapter } from './adapter.ts';
import { parseConfig } from './config.ts';
import { fromF32, toF32 } from './convert.ts';
import { memoryFile, modelFiles } from './files.ts';
import { openAdapter, saveAdapter } from './peft.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';

const model: ModelConfig = parseConfig(
  JSON.stringify({
    ...{ model_type: 'qwen3', vocab_size: 100, hidden_size: 24, num_hidden_layers: 2, num_attention_heads: 4 },
    ...{ num_key_value_heads: 2, head_dim: 8, intermediate_size: 40, max_position_embeddings: 64 },
  }),
);
const all: LoraConfig = { rank: 3, alpha: 6, targets: LORA_TARGETS };
const hashOf = ({ data }: Adapter) => hashBytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
const open = (files: Map<string, Uint8Array>, config = model) =>
  openAdapter(modelFiles([...files].map(([name, bytes]) => memoryFile(name, bytes))), config);
const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return error instanceof CodedError ? error.code : `not coded: ${String(error)}`;
  }
  return 'no error';
};
/** A filled adapter's files, with changes to the config and the tensors. */
async function files(config: object, change: (tensors: Map<string, Tensor>) => void = () => undefined, lora = all) {
  const adapter = freshAdapter(model, lora, 5);
  adapter.data.forEach((_, i) => (adapter.data[i] = Math.fround(Math.sin(i))));
  const saved = saveAdapter(adapter, 'base');
  const tensors = await readSafetensors(memoryFile('x', saved.get('adapter_model.safetensors')!));
  change(tensors);
  const json = JSON.parse(new TextDecoder().decode(saved.get('adapter_config.json')));
  saved.set('adapter_config.json', new TextEncoder().encode(JSON.stringify({ ...json, ...config })));
  saved.set('adapter_model.safetensors', writeSafetensors(tensors));
  return { adapter, saved };
}

describe('adapterLayout', () => {
  it("is packed, in LORA_TARGETS's order, under PEFT's names", () => {
    const layout = adapterLayout(model, { ...all, targets: ['down_proj', 'q_proj'] });
    expect(layout.slice(0, 5)).toEqual([
      { name: 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight', shape: [3, 24], offset: 0 },
      { name: 'base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight', shape: [32, 3], offset: 72 },
      { name: 'base_model.model.model.layers.0.mlp.down_proj.lora_A.weight', shape: [3, 40], offset: 168 },
      { name: 'base_model.model.model.layers.0.mlp.down_proj.lora_B.weight', shape: [24, 3], offset: 288 },
      { name: 'base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight', shape: [3, 24], offset: 360 },
    ]);
    expect(adapterSize(layout)).toBe(720);
    expect(adapterLayout(model, all)).toHaveLength(2 * 7 * 2);
  });

  it('refuses senseless settings', async () => {
    const bad: unknown[] = [
      ...[
        { ...all, rank: 0 },
        { ...all, rank: 1.5 },
        { ...all, rank: 1e9 },
        { ...all, alpha: NaN },
      ],
      ...[
        { ...all, targets: [] },
        { ...all, targets: ['q_proj', 'q_proj'] },
        { ...all, targets: ['lm_head'] },
      ],
    ];
    for (const lora of bad) expect(await codeOf(() => adapterLayout(model, lora as LoraConfig))).toBe('model/adapter');
  });
});

describe('freshAdapter', () => {
  it('starts like PEFT: A uniform in ±1/sqrt(in), B zero', () => {
    const adapter = freshAdapter(model, all, 11);
    for (const slot of adapter.layout) {
      const values = adapterTensor(adapter, slot);
      if (slot.name.includes('lora_B')) {
        expect(values.every((value) => value === 0)).toBe(true);
      } else {
        const bound = 1 / Math.sqrt(slot.shape[1]);
        const largest = Math.max(...values.map(Math.abs));
        expect(largest).toBeLessThanOrEqual(bound);
        expect(largest).toBeGreaterThan(0.85 * bound);
      }
    }
    checkAdapter(adapter, model);
  });

  it('depends on the seed alone; a tensor is the same whatever the other targets are', () => {
    const hash = hashOf(freshAdapter(model, all, 11));
    expect(hashOf(freshAdapter(model, { ...all, targets: [...LORA_TARGETS].reverse() }, 11))).toBe(hash);
    expect(hashOf(freshAdapter(model, all, 12))).not.toBe(hash);
    const one = freshAdapter(model, { ...all, targets: ['v_proj'] }, 11);
    const whole = freshAdapter(model, all, 11);
    const slot = whole.layout.find(({ name }) => name === one.layout[0]!.name)!;
    expect(adapterTensor(one, one.layout[0]!)).toEqual(adapterTensor(whole, slot));
    // Pinned: a change here breaks the replay of every published run.
    expect(hash).toMatchInlineSnapshot(`"92a455ca7aaa45283d8cfbfa356e1dd676cc154077c49a5937c5ad37e8003f9c"`);
  });
});

describe('norms', () => {
  it('see every number', () => {
    const adapter = freshAdapter(model, all, 1);
    const before = adapterNorms(adapter);
    adapter.data[adapter.data.length - 1] = 3;
    expect(adapterNorms(adapter).get('base_model.model.model.layers.1.mlp.down_proj.lora_B.weight')).toBe(3);
    expect(before.get('base_model.model.model.layers.1.mlp.down_proj.lora_B.weight')).toBe(0);
    expect(before.size).toBe(28);
  });
});

describe("PEFT's files", () => {
  it('go there and back, byte for byte, for all and for some targets', async () => {
    for (const lora of [all, { rank: 2, alpha: 4.5, targets: ['k_proj', 'up_proj'] } as const]) {
      const { adapter, saved } = await files({}, undefined, lora);
      const back = await open(saved);
      expect(back).toEqual(adapter);
      expect(saveAdapter(back).get('adapter_model.safetensors')).toEqual(saved.get('adapter_model.safetensors'));
    }
  });

  it('are read as f32 from f16 and bf16', async () => {
    for (const dtype of ['f16', 'bf16'] as const) {
      const { adapter, saved } = await files({}, (tensors) => {
        for (const [name, tensor] of tensors) tensors.set(name, fromF32(toF32(tensor), dtype, tensor.shape));
      });
      const back = await open(saved);
      back.data.forEach((value, i) => expect(Math.abs(value - adapter.data[i]!)).toBeLessThan(0.005));
    }
  });

  it('may name their targets in any order, or all-linear, and may be rank-stabilised', async () => {
    const { adapter, saved } = await files({ target_modules: 'all-linear' });
    expect(await open(saved)).toEqual(adapter);
    const stable = await open((await files({ use_rslora: true })).saved);
    expect(stable.config.alpha / stable.config.rank).toBeCloseTo(6 / Math.sqrt(3), 12);
  });

  it.each([
    { peft_type: 'LOHA' },
    { use_dora: true },
    { bias: 'all' },
    { rank_pattern: { q_proj: 4 } },
    { alpha_pattern: { q_proj: 4 } },
    { modules_to_save: ['lm_head'] },
    { layers_to_transform: [0] },
    { fan_in_fan_out: true },
    { target_modules: ['q_proj', 'lm_head'] },
    { target_modules: '.*q_proj' },
    { target_modules: null },
  ])('with %j are refused', async (config) => {
    const { saved } = await files(config);
    expect(await codeOf(() => open(saved))).toBe('model/unsupported');
  });

  it('that do not fit the model are refused by name', async () => {
    const name = 'base_model.model.model.layers.1.self_attn.k_proj.lora_B.weight';
    const lacking = await files({}, (tensors) => void tensors.delete(name));
    await expect(open(lacking.saved)).rejects.toThrow(`lacks ${name}`);
    const misshapen = await files(
      {},
      (tensors) => void tensors.set(name, fromF32(new Float32Array(48), 'f32', [3, 16])),
    );
    await expect(open(misshapen.saved)).rejects.toThrow(/\[3,16\], not \[16,3\]/);
    const more = await files({}, (tensors) => void tensors.set('lm_head', fromF32(new Float32Array(1), 'f32', [1])));
    await expect(open(more.saved)).rejects.toThrow(/too many/);
    const rank = await files({ r: 4 });
    expect(await codeOf(() => open(rank.saved))).toBe('model/adapter');
    const { adapter, saved } = await files({});
    expect(await codeOf(() => open(saved, { ...model, ffn: 48 }))).toBe('model/adapter');
    expect(await codeOf(() => checkAdapter(adapter, { ...model, layers: 3 }))).toBe('model/adapter');
    saved.delete('adapter_config.json');
    expect(await codeOf(() => open(saved))).toBe('model/bad-file');
  });
});
