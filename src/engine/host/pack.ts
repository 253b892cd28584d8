// Row-major tensors <-> panels [N/8][K][8], zero-padded. Knows storage types' bytes, not their meaning (q8_0: per 32 of
// k, the 8 columns' scales, then [32][8] int8). Kernels read them in cpu/kernels/unpack.ts and webgpu/kernels/weight.wgsl.
import { toF32 } from '../model/convert.ts';
import { pad8 } from '../plan/shape.ts';
import type { Tensor } from '../types.ts';

type Words = Float32Array | Uint16Array;

function interleave(source: Words, n: number, k: number, target: Words): void {
  const kp = pad8(k);
  target.fill(0);
  for (let row = 0; row < n; row++) {
    let to = (row >> 3) * kp * 8 + (row & 7);
    const from = row * k;
    for (let i = 0; i < k; i++, to += 8) target[to] = source[from + i]!;
  }
}

/** f32 values [n, k] into panels. */
export const packF32 = (source: Float32Array, n: number, k: number, target: Float32Array): void =>
  interleave(source, n, k, target);

/** Panels back into row-major values. */
export function unpackF32(panels: Float32Array, n: number, k: number): Float32Array<ArrayBuffer> {
  const kp = pad8(k);
  const out = new Float32Array(n * k);
  for (let row = 0; row < n; row++) {
    let from = (row >> 3) * kp * 8 + (row & 7);
    for (let i = 0; i < k; i++, from += 8) out[row * k + i] = panels[from]!;
  }
  return out;
}

function packQ8(source: Uint8Array, n: number, k: number, target: Uint8Array): void {
  const blocks = k / 32;
  target.fill(0);
  for (let row = 0; row < n; row++) {
    const lane = row & 7;
    for (let block = 0; block < blocks; block++) {
      const from = (row * blocks + block) * 34;
      const to = ((row >> 3) * blocks + block) * 272;
      target[to + lane * 2] = source[from]!;
      target[to + lane * 2 + 1] = source[from + 1]!;
      for (let i = 0; i < 32; i++) target[to + 16 + i * 8 + lane] = source[from + 2 + i]!;
    }
  }
}

/** A matrix in its own storage type; `target` has shape.panelBytes. */
export function packTensor(tensor: Tensor, target: Uint8Array): void {
  const [n, k] = tensor.shape as [number, number];
  const { dtype } = tensor;
  if (dtype === 'q8_0') return packQ8(tensor.data, n, k, target);
  if (dtype === 'f32') {
    return interleave(toF32(tensor), n, k, new Float32Array(target.buffer, target.byteOffset, target.byteLength / 4));
  }
  const words = new Uint16Array(tensor.data.slice().buffer);
  interleave(words, n, k, new Uint16Array(target.buffer, target.byteOffset, target.byteLength / 2));
}
