import { expect, it } from 'vitest';
import { chooseEngine } from './choose.ts';

/** Devices opened and closed so far. */
const devices = { opened: 0, closed: 0 };
const gpu = (info: Partial<GPUAdapterInfo>): GPU =>
  ({
    requestAdapter: async () => ({
      limits: {},
      info: { vendor: '', architecture: '', description: '', isFallbackAdapter: false, ...info },
      requestDevice: async () => {
        devices.opened += 1;
        return {
          limits: {},
          lost: new Promise(() => undefined),
          addEventListener: () => undefined,
          destroy: () => (devices.closed += 1),
        };
      },
    }),
  }) as unknown as GPU;
const real = gpu({ vendor: 'nvidia', architecture: 'ampere' });
const large = 135_000_000;

it('takes a real GPU for a model that is worth it, and says which', async () => {
  expect(await chooseEngine('auto', large, real)).toMatchObject({ engine: 'webgpu', why: 'on nvidia ampere' });
  expect(await chooseEngine('auto', large, gpu({}))).toMatchObject({ engine: 'webgpu', why: 'on a GPU' });
});

it('opens a device once: the one that it looked at is the one to use, or is closed', async () => {
  Object.assign(devices, { opened: 0, closed: 0 });
  const { device } = await chooseEngine('auto', large, real);
  expect(device?.facts.vendor).toBe('nvidia');
  expect(devices).toEqual({ opened: 1, closed: 0 });
  device!.close();
  await chooseEngine('auto', large, gpu({ isFallbackAdapter: true }));
  expect(devices).toEqual({ opened: 2, closed: 2 });
});

it.each([
  ['a small model', 1e6, real, /small/],
  ['a fallback adapter', large, gpu({ isFallbackAdapter: true }), /processor/],
  ['a software adapter that does not say so', large, gpu({ description: 'SwiftShader Device' }), /processor/],
  ['no adapter', large, { requestAdapter: async () => null } as unknown as GPU, /no WebGPU/],
  ['no WebGPU', large, undefined, /no WebGPU/],
])('takes the processor for %s, and says why', async (_, parameters, at, why) => {
  const choice = await chooseEngine('auto', parameters, at);
  expect(choice.engine).toBe('cpu');
  expect(choice.why).toMatch(why);
});

it('leaves it to a person who chose', async () => {
  expect((await chooseEngine('webgpu', 1, undefined)).engine).toBe('webgpu');
  expect((await chooseEngine('cpu', large, real)).engine).toBe('cpu');
});
