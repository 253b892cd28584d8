// The choice of kernels on a device that is there: one of the candidates, timed once, and the session that runs on it.
import { expect, it } from 'vitest';
import { idsFor, tiny, weightsFor } from '../cpu/testing.ts';
import { createSession } from '../session.ts';
import { keyOf, measuring, settleVariants, variantsFor } from './autotune.ts';
import { Gpu } from './device.ts';
import { WebGpuSession } from './session.ts';
import { sharedGpu } from './testing.ts';
import { type Tuning, tuningInMemory } from './tuning.ts';
import { CANDIDATES, described, type Tuned, USUAL } from './variants.ts';

it('times every candidate once, keeps the choice, and a session runs on it', async () => {
  const device = await sharedGpu();
  const { variants: usual } = device;
  const tuning = tuningInMemory();
  const measure = measuring(device);
  const times: number[] = [];
  const before = device.bytes;
  const chosen = await variantsFor(device, tuning, async (what, variants) => {
    times.push(await measure(what, variants));
    return times.at(-1)!;
  });
  expect(device.bytes).toBe(before);
  expect(times.length).toBe(6);
  expect(times.every((ms) => ms > 0 && ms < Infinity)).toBe(true);
  for (const [what, all] of Object.entries(CANDIDATES)) expect(all).toContain(chosen[what as Tuned]);
  const session = await WebGpuSession.create(weightsFor(tiny), { device, tuning });
  expect(device.variants).toEqual(chosen);
  expect([...tuning.kept.values()]).toEqual([session.kernels]);
  const other: Tuning = { ...tuning, get: async () => 'products tiles, attention registers, few 8' };
  const checked: string[] = [];
  const check = async ({ variants }: Gpu) => void checked.push(described(variants));
  const mixed = await WebGpuSession.create(weightsFor(tiny), { device, tuning: other, check });
  expect([mixed.kernels, ...checked]).toEqual(Array(2).fill(await other.get('')));
  const cpu = await createSession(weightsFor(tiny), { threads: 1 });
  const request = { ids: idsFor(tiny, 40, 1), sampling: { temperature: 0.9, seed: 1, maxTokens: 12 } };
  const [[right], [mine], [theirs]] = await Promise.all([cpu, session, mixed].map((one) => one.generate([request])));
  for (const out of [mine, theirs]) {
    expect(out!.ids).toEqual(right!.ids);
    out!.logprobs.forEach((value, t) => expect(Math.abs(value - right!.logprobs[t]!)).toBeLessThan(1e-5));
  }
  for (const one of [cpu, session, mixed]) await one.close();
  device.variants = usual;
});

it('a choice that fails the check is given up for the usual kernels, for good; those have to stand it', async () => {
  const device = await sharedGpu();
  const { variants: usual } = device;
  const other = { ...usual, few: usual.few === 8 ? 1 : 8 } as const;
  const tuning = tuningInMemory(new Map([[keyOf(device.facts), described(other)]]));
  const checked: string[] = [];
  const check = async ({ variants }: Gpu) => {
    checked.push(described(variants));
    if (variants.few === other.few) throw new Error('wrong');
  };
  await settleVariants(device, tuning, check);
  expect(checked).toEqual([described(other), described(usual)]);
  expect(device.variants).toEqual(usual);
  await settleVariants(device, tuning, check);
  expect(checked.slice(2)).toEqual([described(usual)]);
  await expect(settleVariants(device, tuning, () => Promise.reject(new Error('all wrong')))).rejects.toThrow(
    'all wrong',
  );
});

it('a candidate that the device does not accept is not chosen; a lost device ends all, and nothing is kept', async () => {
  const device = await Gpu.open();
  const compile = device.device.createComputePipelineAsync.bind(device.device);
  device.device.createComputePipelineAsync = (descriptor) =>
    descriptor.label === 'linear' ? Promise.reject(new Error('no')) : compile(descriptor);
  const measure = measuring(device);
  expect(await measure('products', USUAL.gpu)).toBe(Infinity);
  expect(await measure('products', USUAL.software)).toBeLessThan(Infinity);
  device.device.destroy();
  await device.device.lost;
  const tuning = tuningInMemory();
  await expect(WebGpuSession.create(weightsFor(tiny), { device, tuning })).rejects.toMatchObject({ code: 'gpu/lost' });
  expect(tuning.kept.size).toBe(0);
});
