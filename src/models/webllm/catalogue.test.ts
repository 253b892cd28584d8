import { expect, test } from 'vitest';
import { catalogue, obstacles } from './catalogue.ts';
import { findDevice, watchDevices, type AdapterPrototype } from './device.ts';
import { entryOf, isWebllm, parametersOf, thinksFirst } from './name.ts';
import { DEVICE, ENTRY } from './testing.ts';

const with32 = { ...ENTRY, model_id: 'Tiny-0.5B-q4f32_1-MLC' };
const noF16 = { ...DEVICE, features: new Set<string>() };
const limited = (limits: Partial<typeof DEVICE.limits>) => ({ ...DEVICE, limits: { ...DEVICE.limits, ...limits } });

const said = (...[entry, device]: Parameters<typeof obstacles>) => obstacles(entry, device).map(({ says }) => says);
const codes = (...[entry, device]: Parameters<typeof obstacles>) => obstacles(entry, device).map(({ code }) => code);

test('an f16 model needs shader-f16, whether its entry says so or not; its f32 twin does not', () => {
  expect(said(ENTRY, DEVICE)).toEqual([]);
  expect(said(ENTRY, noF16)).toEqual(['this GPU has no shader-f16']);
  expect(said({ ...ENTRY, required_features: ['shader-f16'] }, noF16)).toHaveLength(1);
  expect(said(with32, noF16)).toEqual([]);
});

test('every reason why not is named', () => {
  expect(said(ENTRY, null)).toEqual(['this browser offers no WebGPU']);
  expect(said({ ...ENTRY, model_type: 1 }, DEVICE)).toEqual(['it makes embeddings and writes no text']);
  expect(said({ ...with32, required_features: ['subgroups'] }, DEVICE)).toEqual(['this GPU has no subgroups']);
  const small = limited({ maxStorageBuffersPerShaderStage: 8, maxStorageBufferBindingSize: 2 ** 27 });
  expect(said({ ...with32, buffer_size_required_bytes: 262144000 }, small)).toEqual([
    'this GPU’s maxStorageBufferBindingSize is 134217728, it needs 262144000',
    'this GPU’s maxStorageBuffersPerShaderStage is 8, it needs 10',
  ]);
  expect(said({ ...with32, buffer_size_required_bytes: 1 }, small)).toHaveLength(1);
  const all = [
    codes(ENTRY, null),
    codes({ ...ENTRY, model_type: 1 }, DEVICE),
    codes(ENTRY, noF16),
    codes(with32, small),
  ];
  expect(all).toEqual([['gpu/unavailable'], ['model/unsupported'], ['gpu/feature'], ['gpu/limits']]);
});

test('the list says what each is; memory is a doubt and no reason', () => {
  const [one, other] = catalogue([ENTRY, { ...with32, vram_required_MB: 9000 }], DEVICE);
  expect(one).toEqual({
    ...{ name: 'webllm:Tiny-0.5B-q4f16_1-MLC', title: 'Tiny-0.5B-q4f16_1', parameters: 5e8, context: 512 },
    ...{ memoryMb: 500, obstacles: [], doubts: [] },
  });
  expect(other).toMatchObject({ obstacles: [], doubts: ['it takes 9000 MB; this machine says that it has 8192'] });
  expect(catalogue([{ ...with32, vram_required_MB: 9000 }], { ...DEVICE, memoryMb: null })[0]!.doubts).toEqual([]);
});

test.each([
  ['SmolLM2-135M-Instruct-q0f16-MLC', 135e6],
  ['Qwen3-0.6B-q4f16_1-MLC', 6e8],
  ['Llama-3.2-1B-Instruct-q4f32_1-MLC', 1e9],
  ['Llama-3.1-8B-Instruct-q4f16_1-MLC-1k', 8e9],
  ['stablelm-2-zephyr-1_6b-q4f16_1-MLC', 1.6e9],
  ['gemma-4-E2B-it-q4f16_1-MLC', 2e9],
  ['Phi-3.5-mini-instruct-q4f16_1-MLC', 0],
])('%s has %d parameters by its name', (id, parameters) => {
  expect(parametersOf(id)).toBe(parameters);
});

test('who may think first and can be told not to', () => {
  const ids = [
    'Qwen3-0.6B-q4f16_1-MLC',
    'Qwen3.5-2B-q4f16_1-MLC',
    'Qwen2.5-0.5B-Instruct-q4f16_1-MLC',
    'Qwen3-4B-Instruct-x',
  ];
  expect(ids.map(thinksFirst)).toEqual([true, true, false, false]);
});

test('names: one of the list, or an own one by two addresses', () => {
  expect([isWebllm('webllm:x'), isWebllm('nano')]).toEqual([true, false]);
  expect(entryOf(`webllm:${ENTRY.model_id}`, [ENTRY])).toBe(ENTRY);
  const own = 'https://my.test/models/Own-1B-q4f32_1/resolve/main/';
  expect(entryOf(`webllm:${own}?lib=https://my.test/own.wasm`, [])).toEqual({
    ...{ model_id: 'Own-1B-q4f32_1', model: own, model_lib: 'https://my.test/own.wasm' },
  });
  for (const bad of ['webllm:other', `webllm:${own}`, `webllm:${own}?lib=own.wasm`, 'webllm:https://']) {
    expect(() => entryOf(bad, [ENTRY])).toThrow(expect.objectContaining({ code: 'model/unknown' }));
  }
});

test('the device: its features and limits, or none', async () => {
  const adapter = { features: new Set(['subgroups']), limits: { ...DEVICE.limits, other: 1 } };
  const navigator = { gpu: { requestAdapter: async () => adapter }, deviceMemory: 4 } as unknown as Navigator;
  expect(await findDevice(navigator)).toEqual({ ...DEVICE, features: new Set(['subgroups']), memoryMb: 4096 });
  expect(await findDevice({} as Navigator)).toBeNull();
  expect(await findDevice({ gpu: { requestAdapter: async () => null } } as unknown as Navigator)).toBeNull();
});

test('a device that goes away is told of', async () => {
  let lose: (info: { reason: string; message: string }) => void = () => undefined;
  const device = { lost: new Promise<{ reason: string; message: string }>((resolve) => (lose = resolve)) };
  const prototype: AdapterPrototype = { requestDevice: async () => device };
  const heard: string[] = [];
  watchDevices(prototype, (why) => heard.push(why));
  expect(await prototype.requestDevice()).toBe(device);
  lose({ reason: 'destroyed', message: '' });
  await device.lost;
  await Promise.resolve();
  expect(heard).toEqual(['destroyed']);
});
