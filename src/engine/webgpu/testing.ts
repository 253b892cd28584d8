// Runs a few ops on both executors and compares them, with guard words around every buffer. Only tests import it.
import { expect } from 'vitest';
import { Executor } from '../cpu/executor.ts';
import { run } from '../cpu/ops-testing.ts';
import { relativeError } from '../cpu/testing.ts';
import { PlanBuilder } from '../plan/builder.ts';
import type { Ref } from '../plan/ops.ts';
import { Gpu } from './device.ts';
import { GpuExecutor, type Place } from './executor.ts';
import { USUAL } from './variants.ts';

/** A NaN that no kernel makes: read by mistake it spreads, overwritten by mistake it is missed. */
const GUARD = 0x7fc0dead;
const MARGIN = 64; // words

type Words = Float32Array | Int32Array;

export interface OpTest {
  inputs: Record<string, Words>;
  /** Words of each buffer that is only written. */
  outputs: Record<string, number>;
  /** Inputs that the ops change. */
  changes?: readonly string[];
  /** Outputs whose words are not all written, and not compared. */
  scratch?: readonly string[];
  /** Buffers outside the slab, as weights and gradients are. */
  apart?: readonly string[];
  /** A weight in two buffers: its rows, and how many the first one holds. */
  split?: { name: string; rows: number; at: number };
  /** Largest difference over the largest value; 0: the same bits. */
  tolerance?: number;
}

let shared: Promise<Gpu> | null = null;

/** One device for all files, as none of them compiles a kernel again. Another one after a failure. */
export async function sharedGpu(): Promise<Gpu> {
  try {
    (await shared)?.check();
  } catch {
    shared = null;
  }
  return (shared ??= Gpu.open());
}

export class Pair {
  /** What the CPU computed in the last comparison. */
  expected: ((name: string) => Float32Array) | null = null;

  private constructor(
    readonly cpu: Executor,
    readonly gpu: GpuExecutor,
  ) {}

  /** `kind`: which kernels; default: those for this adapter. */
  static async open(kind?: keyof typeof USUAL): Promise<Pair> {
    return new Pair(await Executor.create(1, 1 << 21), new GpuExecutor(await sharedGpu(), kind && USUAL[kind]));
  }

  async close(): Promise<void> {
    await this.cpu.close();
    this.gpu.close();
  }

  /** What the GPU computed, by buffer, after comparing all of it with the CPU's. */
  async agree(
    { inputs, outputs, changes = [], scratch = [], apart = [], split, tolerance = 1e-5 }: OpTest,
    build: (b: PlanBuilder, at: (name: string) => Ref) => void,
  ): Promise<Map<string, Float32Array>> {
    const expected = (this.expected = run(this.cpu, inputs, outputs, build));
    const found = await this.onGpu({ inputs, outputs, apart, ...(split ? { split } : {}) }, build);
    for (const [name, { length }] of Object.entries(inputs)) {
      const values = found.get(name)!;
      expect(values.length).toBe(length);
      if (!changes.includes(name)) expect(difference(values, inputs[name]!), `${name} is only read`).toBe(-1);
    }
    for (const name of [...Object.keys(outputs), ...changes]) {
      if (scratch.includes(name)) continue;
      if (tolerance === 0) expect(difference(found.get(name)!, expected(name)), `${name}: first other word`).toBe(-1);
      else expect(relativeError(found.get(name)!, expected(name)), name).toBeLessThan(tolerance);
    }
    return found;
  }

  private async onGpu(
    { inputs, outputs, apart = [], split }: OpTest,
    build: (b: PlanBuilder, at: (name: string) => Ref) => void,
  ): Promise<Map<string, Float32Array>> {
    const { gpu } = this;
    const lengths = new Map([...Object.entries(inputs).map(([name, { length }]) => [name, length] as const)]);
    for (const [name, length] of Object.entries(outputs)) lengths.set(name, length);
    const b = new PlanBuilder();
    const refs = new Map<string, Ref>();
    const places = new Map<string, Place>();
    for (const [name, length] of lengths) {
      if (name === split?.name) {
        const from = (split.at * length) / split.rows;
        const parts = [
          { block: gpu.gpu.take(from), first: 0, end: split.at },
          { block: gpu.gpu.take(length - from), first: split.at, end: split.rows },
        ];
        const words = new Float32Array(bits(inputs[name]!).buffer);
        gpu.write({ block: parts[0]!.block, offset: 0 }, words.subarray(0, from));
        gpu.write({ block: parts[1]!.block, offset: 0 }, words.subarray(from));
        places.set(name, { block: parts[0]!.block, offset: 0, parts });
        refs.set(name, b.bound(name));
      } else if (apart.includes(name)) {
        const block = gpu.gpu.take(length + 2 * MARGIN);
        places.set(name, { block, offset: MARGIN });
        const words = guarded(length + 2 * MARGIN);
        const input = inputs[name];
        if (input) words.set(bits(input), MARGIN);
        gpu.write({ block, offset: 0 }, new Float32Array(words.buffer));
        refs.set(name, b.bound(name));
      } else {
        b.slot(`guard ${name}`, 16);
        refs.set(name, b.slot(name, length));
      }
    }
    b.slot('guard', 16);
    build(b, (name) => refs.get(name)!);
    const plan = b.finish();
    gpu.prepare(plan);
    for (const name of plan.slots.keys()) {
      gpu.ints(plan, name).fill(GUARD);
      const input = inputs[name];
      if (input) gpu.ints(plan, name).set(new Int32Array(bits(input).buffer));
    }
    await gpu.run(plan, (name) => places.get(name)!);
    const slab = await gpu.dump(plan.words);
    const found = new Map<string, Float32Array>();
    for (const [name, { offset, words }] of plan.slots) {
      const length = lengths.get(name) ?? 0;
      for (let i = length; i < words; i++) {
        if (slab[offset + i] !== GUARD) expect.fail(`a guard word after ${name} (${length} words) was written: ${i}`);
      }
      if (length > 0) found.set(name, new Float32Array(slab.slice(offset, offset + length).buffer));
    }
    for (const [name, { block, parts }] of places) {
      if (parts) {
        for (const part of parts) gpu.give({ block: part.block, offset: 0 });
        found.set(name, new Float32Array(bits(inputs[name]!).buffer));
        continue;
      }
      const length = lengths.get(name)!;
      const words = await gpu.words({ block, offset: 0 }, length + 2 * MARGIN);
      words.forEach((word, i) => {
        if ((i < MARGIN || i >= MARGIN + length) && word !== GUARD)
          expect.fail(`a guard word of ${name} was written: ${i}`);
      });
      found.set(name, new Float32Array(words.slice(MARGIN, MARGIN + length).buffer));
      gpu.give({ block, offset: 0 });
    }
    return found;
  }
}

/** First word that differs, or -1. */
function difference(a: Words, b: Words): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  const [x, y] = [bits(a), bits(b)];
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return i;
  return -1;
}

const guarded = (words: number): Uint32Array<ArrayBuffer> => new Uint32Array(words).fill(GUARD);

const bits = (values: Words): Uint32Array<ArrayBuffer> => new Uint32Array(values.slice().buffer as ArrayBuffer);
