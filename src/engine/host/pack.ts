// Row-major tensors <-> panels [N/8][K][8], zero-padded. Knows storage types' bytes, not their meaning. A block type keeps
// its bits: the 8 columns' blocks of the same k lie interleaved, byte by byte, f16 by f16. Kernels read them in
// cpu/kernels/unpack.ts and webgpu/kernels/weight.wgsl.
import { type BlockType, HALVES, isBlockType } from '../model/blocks.ts';
import { toF32 } from '../model/convert.ts';
import { BLOCKS } from '../model/dtype.ts';
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

function packBlocks(dtype: BlockType, source: Uint8Array, n: number, k: number, target: Uint8Array): void {
  const { weights, bytes } = BLOCKS[dtype];
  const blocks = k / weights;
  // Byte i of a block goes to first[i] + step[i] * column.
  const first = Uint16Array.from({ length: bytes }, (_, i) => 8 * i);
  const step = new Uint8Array(bytes).fill(1);
  for (const place of HALVES[dtype]) {
    first[place + 1] = 8 * place + 1;
    step.fill(2, place, place + 2);
  }
  target.fill(0);
  for (let row = 0, from = 0; row < n; row++) {
    const column = row & 7;
    for (let block = 0; block < blocks; block++, from += bytes) {
      const to = ((row >> 3) * blocks + block) * bytes * 8;
      for (let i = 0; i < bytes; i++) target[to + first[i]! + step[i]! * column] = source[from + i]!;
    }
  }
}

/** A matrix in its own storage type; `target` has shape.panelBytes. */
export function packTensor(tensor: Tensor, target: Uint8Array): void {
  const [n, k] = tensor.shape as [number, number];
  const { dtype } = tensor;
  if (isBlockType(dtype)) return packBlocks(dtype, tensor.data, n, k, target);
  if (dtype === 'f32') {
    return interleave(toF32(tensor), n, k, new Float32Array(target.buffer, target.byteOffset, target.byteLength / 4));
  }
  const words = new Uint16Array(tensor.data.slice().buffer);
  interleave(words, n, k, new Uint16Array(target.buffer, target.byteOffset, target.byteLength / 2));
}
