// Running a few ops by themselves on small arrays, and slopes by finite differences. Only tests import it.
import { RandomStream } from '../model/random.ts';
import { PlanBuilder } from '../plan/builder.ts';
import type { Ref } from '../plan/ops.ts';
import { pad8 } from '../plan/shape.ts';
import type { Executor } from './executor.ts';
import { packF32 } from '../host/pack.ts';

export const random = (length: number, seed: number, std = 1): Float32Array => {
  const stream = new RandomStream(seed, 'ops');
  return Float32Array.from({ length }, () => std * stream.normal());
};

/** Rows of `width` in rows of pad8(width), zeros between. */
export const padded = (values: Float32Array, width: number): Float32Array => {
  const [ld, rows] = [pad8(width), values.length / width];
  const out = new Float32Array(rows * ld);
  for (let r = 0; r < rows; r++) out.set(values.subarray(r * width, (r + 1) * width), r * ld);
  return out;
};
export const unpadded = (values: Float32Array, width: number): Float32Array => {
  const [ld, rows] = [pad8(width), Math.floor(values.length / pad8(width))];
  const out = new Float32Array(rows * width);
  for (let r = 0; r < rows; r++) out.set(values.subarray(r * ld, r * ld + width), r * width);
  return out;
};
export const panels = (values: Float32Array, n: number, k: number): Float32Array => {
  const out = new Float32Array(pad8(n) * pad8(k));
  packF32(values, n, k, out);
  return out;
};

/** Builds a plan over named slots, fills them, runs it, and reads them. */
export function run(
  executor: Executor,
  inputs: Record<string, Float32Array | Int32Array>,
  outputs: Record<string, number>,
  build: (b: PlanBuilder, slot: (name: string) => Ref) => void,
): (name: string) => Float32Array {
  const b = new PlanBuilder();
  const refs = new Map<string, Ref>();
  for (const [name, { length }] of Object.entries(inputs)) refs.set(name, b.slot(name, length));
  for (const [name, length] of Object.entries(outputs)) refs.set(name, b.slot(name, length));
  build(b, (name) => refs.get(name)!);
  const plan = b.finish();
  executor.prepare(plan);
  for (const [name, values] of Object.entries(inputs)) {
    if (values instanceof Int32Array) executor.ints(plan, name).set(values);
    else executor.floats(plan, name).set(values);
  }
  executor.run(plan, () => 0);
  return (name) => executor.floats(plan, name).slice(0, outputs[name] ?? inputs[name]!.length);
}

/** d(sum_i dy_i f(x)_i)/dx by central differences in float64. */
export function slopes(f: (x: Float64Array) => ArrayLike<number>, x: Float32Array, dy: Float32Array): Float64Array {
  const point = Float64Array.from(x);
  const value = () => {
    const y = f(point);
    let sum = 0;
    for (let i = 0; i < dy.length; i++) sum += dy[i]! * y[i]!;
    return sum;
  };
  return point.map((old, i) => {
    const h = 1e-5;
    point[i] = old + h;
    const high = value();
    point[i] = old - h;
    const low = value();
    point[i] = old;
    return (high - low) / (2 * h);
  });
}
