// Which kernels are quickest on an adapter: each candidate timed once on one shape, and what was chosen remembered. Knows
// nothing of models, nor of where it is remembered.
import { PlanBuilder, type Plan } from '../plan/builder.ts';
import { dtypeCode, PAGE, panelBytes, UNIT } from '../plan/shape.ts';
import type { Gpu, GpuFacts } from './device.ts';
import { GpuExecutor } from './executor.ts';
import { DISPATCHES } from './kernels.ts';
import type { Tuning } from './tuning.ts';
import { CANDIDATES, described, type Tuned, understood, USUAL, type Variants } from './variants.ts';

/** Milliseconds of the work in which `what` is decisive. */
export type Measure = (what: Tuned, variants: Variants) => Promise<number>;

/** A candidate must take less than this of the usual one's time: a choice should not hang on a clock's noise. */
const WORTH = 0.9;

const usualOf = ({ software }: GpuFacts): Variants => USUAL[software ? 'software' : 'gpu'];

/** The device's variants: those remembered for its adapter and these kernels, or else timed now and remembered. */
export async function variantsFor(gpu: Gpu, tuning: Tuning, measure: Measure = measuring(gpu)): Promise<Variants> {
  const usual = usualOf(gpu.facts);
  const key = keyOf(gpu.facts);
  const known = understood((await tuning.get(key)) ?? '', usual);
  if (known) return known;
  const chosen = await choose(usual, measure);
  await tuning.set(key, described(chosen));
  return chosen;
}

/**
 * Gives the device its variants and holds them to `check`. A choice that fails it is given up for good, and the usual kernels
 * have to stand it. Errors: the check's, and the device's own.
 */
export async function settleVariants(gpu: Gpu, tuning?: Tuning, check?: (gpu: Gpu) => Promise<void>): Promise<void> {
  if (tuning) gpu.variants = await variantsFor(gpu, tuning);
  try {
    await check?.(gpu);
  } catch (error) {
    gpu.check(); // the device's own failure ends all
    const usual = usualOf(gpu.facts);
    if (!tuning || described(gpu.variants) === described(usual)) throw error;
    gpu.variants = usual;
    await check?.(gpu);
    await tuning.set(keyOf(gpu.facts), described(usual));
  }
}

export async function choose(usual: Variants, measure: Measure): Promise<Variants> {
  let chosen = usual;
  for (const what of Object.keys(CANDIDATES) as Tuned[]) {
    let least = (await measure(what, chosen)) * WORTH;
    for (const candidate of CANDIDATES[what]) {
      if (candidate === usual[what]) continue;
      const other: Variants = { ...chosen, [what]: candidate };
      const ms = await measure(what, other);
      if (ms < least) [chosen, least] = [other, ms];
    }
  }
  return chosen;
}

/** Vendor, architecture and description of the adapter, and a hash of the kernels between which is chosen. */
export function keyOf({ vendor, architecture, description, software }: GpuFacts): string {
  let hash = 0x811c9dc5;
  for (const character of SOURCES) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return [vendor, architecture, description, software ? 'software' : 'gpu', (hash >>> 0).toString(16)].join('|');
}

/** A real model's layer; in software one of a small model's. */
const SIZES = {
  gpu: { dtype: 'f16', rows: 256, width: 1024, tokens: 512, heads: 16, dim: 64, times: 4, rounds: 5 },
  software: { dtype: 'f32', rows: 64, width: 384, tokens: 192, heads: 3, dim: 32, times: 1, rounds: 3 },
} as const;
type Sizes = (typeof SIZES)[keyof typeof SIZES];
const FEW = 8;

const numbers = { rows: 32, k: 32, n: 32, count: 1, heads: 1, kvHeads: 1, dim: 32, dtype: 1 };
const SOURCES = [USUAL.gpu, USUAL.software]
  .flatMap((variants) => [
    ...DISPATCHES.linear(numbers, variants),
    ...DISPATCHES.linear({ ...numbers, rows: FEW }, variants),
    ...DISPATCHES.attention(numbers, variants),
  ])
  .flatMap(({ parts }) => parts)
  .join('');

/** Of each: compiled in a first run, then the median of a few. A candidate that the device does not accept takes for ever. */
export function measuring(gpu: Gpu): Measure {
  const sizes = SIZES[gpu.facts.software ? 'software' : 'gpu'];
  return async (what, variants) => {
    const executor = new GpuExecutor(gpu, variants);
    try {
      const plan = what === 'attention' ? attend(sizes) : multiply(sizes, what === 'few' ? FEW : sizes.rows);
      const nowhere = () => {
        throw new Error('the plan has no buffer of its own');
      };
      const times: number[] = [];
      for (let round = 0; round <= sizes.rounds; round++) {
        executor.prepare(plan);
        fill(executor, plan, sizes);
        const start = performance.now();
        await executor.run(plan, nowhere);
        if (round > 0) times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[sizes.rounds >> 1]!;
    } catch {
      gpu.check(); // the device's own failure ends all
      return Infinity;
    } finally {
      executor.close();
    }
  };
}

/** Reads one word back, so that a run ends when the work has. */
function finished(b: PlanBuilder, x: ReturnType<PlanBuilder['temp']>): Plan {
  b.op('moveRows', { out: b.slot('done', 1), x, index: b.slot('first', 1), rows: 1, width: 1, scatter: 0 });
  return b.finish();
}

/** A linear layer, several times; all numbers are 0, as new buffers are. */
function multiply({ dtype, width, times }: Sizes, rows: number): Plan {
  const b = new PlanBuilder();
  const [x, w, out] = [b.temp(rows * width), b.temp(panelBytes(dtype, width, width) / 4), b.temp(rows * width)];
  for (let i = 0; i < times; i++) {
    b.op('linear', {
      ...{ out, x, w, init: null, t: null, b: null, dtype: dtypeCode(dtype), rows, k: width, n: width },
      ...{ ldo: width, ldx: width, ldi: 0, rank: 0, ldt: 0, alpha: 1 },
    });
  }
  return finished(b, out);
}

/** One sequence that is read at once. */
function attend({ tokens, heads, dim, times }: Sizes): Plan {
  const b = new PlanBuilder();
  const words = tokens * heads * dim;
  const [q, pages, out] = [b.temp(words), b.temp(2 * words), b.temp(words)];
  const [tables, units] = [b.slot('tables', tokens / PAGE), b.slot('units', (4 * tokens) / UNIT)];
  for (let i = 0; i < times; i++) {
    b.op('attention', {
      ...{ out, lse: null, q, pages, tables, units, count: tokens / UNIT, heads, kvHeads: heads, dim },
      ...{ ld: heads * dim, scale: 1 / Math.sqrt(dim) },
    });
  }
  return finished(b, out);
}

function fill(executor: GpuExecutor, plan: Plan, { heads, dim }: Sizes): void {
  for (const name of plan.slots.keys()) executor.ints(plan, name).fill(0);
  if (!plan.slots.has('units')) return;
  const pageBytes = 2 * PAGE * heads * dim * 4;
  executor.ints(plan, 'tables').forEach((_, i, tables) => (tables[i] = i * pageBytes));
  const units = executor.ints(plan, 'units');
  for (let i = 0; i < units.length / 4; i++) units.set([i * UNIT, UNIT, i * UNIT, 0], i * 4);
}
