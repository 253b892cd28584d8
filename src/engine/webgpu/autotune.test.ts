// The choice of kernels: by a clock that is made up, kept and found again.
import { expect, it } from 'vitest';
import { choose, keyOf, type Measure, variantsFor } from './autotune.ts';
import type { Gpu } from './device.ts';
import { tuningInMemory } from './tuning.ts';
import { described, understood, USUAL } from './variants.ts';

const facts = { vendor: 'maker', architecture: 'third', description: 'a GPU', software: false };
const gpu = { facts } as Gpu;

/** Times by the words of what is timed; counts how often it is asked. */
function clock(times: Record<string, number>): Measure & { asked: string[] } {
  const asked: string[] = [];
  const measure: Measure = async (what, variants) => {
    const one = `${what} ${variants[what]}`;
    asked.push(one);
    return times[one] ?? 10;
  };
  return Object.assign(measure, { asked });
}

it('takes what is quicker, and the usual where it hardly is', async () => {
  const quick = clock({ 'products registers': 4, 'attention registers': 9.5, 'few 1': Infinity });
  expect(await choose(USUAL.gpu, quick)).toEqual({ ...USUAL.gpu, products: 'registers' });
  expect(quick.asked).toHaveLength(6);
  const tiles = clock({ 'products tiles': 3, 'attention tiles': 8, 'few 8': 1 });
  expect(await choose(USUAL.software, tiles)).toEqual({
    products: 'tiles',
    attention: 'tiles',
    few: 8,
    sums: 'narrow',
  });
  expect(await choose(USUAL.gpu, clock({ 'products tiles': Infinity }))).toMatchObject({ products: 'registers' });
});

it('times an adapter once: what was chosen is found again, by another adapter or other words not', async () => {
  const kept = new Map<string, string>();
  const tuning = tuningInMemory(kept);
  const first = await variantsFor(gpu, tuning, clock({ 'attention registers': 1 }));
  expect(first).toEqual({ ...USUAL.gpu, attention: 'registers' });
  const never: Measure = () => Promise.reject(new Error('timed again'));
  expect(await variantsFor(gpu, tuning, never)).toEqual(first);
  const other = { facts: { ...facts, architecture: 'fourth' } } as Gpu;
  expect(await variantsFor(other, tuning, clock({}))).toEqual(USUAL.gpu);
  expect(kept.size).toBe(2);
  kept.set(keyOf(facts), 'products cubes, attention tiles, few 8');
  expect(await variantsFor(gpu, tuning, clock({}))).toEqual(USUAL.gpu);
  expect(kept.get(keyOf(facts))).toBe('products tiles, attention tiles, few 8');
});

it('says a choice in words that it reads', () => {
  for (const usual of Object.values(USUAL)) {
    const chosen = { ...usual, products: 'registers' } as const;
    expect(understood(described(chosen), usual)).toEqual(chosen);
  }
  expect(understood('', USUAL.gpu)).toBe(null);
});
