// The block types of GGUF files: a block's bytes -> its weights in f32, one rounding after each operation, as llama.cpp's
// dequantize_row functions do. Knows nothing of files, tensors or kernels.
// Source: ggml-common.h (layouts) and ggml-quants.c (formulas) of https://github.com/ggml-org/ggml.
import type { DType } from '../types.ts';
import { f16Value } from './half.ts';

export type BlockType = Exclude<DType, 'f32' | 'f16' | 'bf16'>;

/** Where a block keeps its f16 numbers, in bytes; all else in it are single bytes. */
export const HALVES: Readonly<Record<BlockType, readonly number[]>> = {
  q8_0: [0],
  q4_0: [0],
  q4_1: [0, 2],
  q5_0: [0],
  q5_1: [0, 2],
  q4_k: [0, 2],
  q6_k: [208],
};

export const isBlockType = (dtype: DType): dtype is BlockType => Object.hasOwn(HALVES, dtype);

/** Writes the weights of the block at `data[at]` to `out[to]` and on. */
type Dequantize = (data: Uint8Array, at: number, out: Float32Array, to: number) => void;

const half = (data: Uint8Array, at: number): number => f16Value(data[at]! | (data[at + 1]! << 8));
const int8 = (data: Uint8Array, at: number): number => (data[at]! << 24) >> 24;

/** 32 weights of 4 bits, the first 16 in the low halves of 16 bytes; `high` gives a weight's fifth bit, as 0 or 16. */
const nibbles =
  (bytesAt: number, value: (data: Uint8Array, at: number) => (q: number) => number, highAt = -1): Dequantize =>
  (data, at, out, to) => {
    const of = value(data, at);
    const high = (i: number): number => (highAt < 0 ? 0 : ((data[at + highAt + (i >> 3)]! >> (i & 7)) & 1) << 4);
    for (let i = 0; i < 16; i++) {
      const byte = data[at + bytesAt + i]!;
      out[to + i] = of((byte & 15) | high(i));
      out[to + i + 16] = of((byte >> 4) | high(i + 16));
    }
  };

/** d (q - zero) */
const symmetric = (zero: number) => (data: Uint8Array, at: number) => {
  const d = half(data, at);
  return (q: number) => d * (q - zero);
};

/** d q + m; the product is exact in f32. */
const affine = (data: Uint8Array, at: number) => {
  const [d, m] = [half(data, at), half(data, at + 2)];
  return (q: number) => d * q + m;
};

/** 8 runs of 32 weights; run j: (d scale_j) q - (dmin min_j), scales and minima of 6 bits in 12 bytes. */
const q4k: Dequantize = (data, at, out, to) => {
  const [d, dmin] = [half(data, at), half(data, at + 2)];
  const s = (i: number): number => data[at + 4 + i]!;
  for (let j = 0; j < 8; j++) {
    const scale = j < 4 ? s(j) & 63 : (s(j + 4) & 15) | ((s(j - 4) >> 6) << 4);
    const min = j < 4 ? s(j + 4) & 63 : (s(j + 4) >> 4) | ((s(j) >> 6) << 4);
    for (let i = 0; i < 32; i++) {
      const byte = data[at + 16 + (j >> 1) * 32 + i]!;
      out[to + j * 32 + i] = d * scale * (j & 1 ? byte >> 4 : byte & 15) - dmin * min;
    }
  }
};

/** 16 runs of 16 weights of 6 bits; run j: (d scale_j) (q - 32). Each half of 128 has its own 64 + 32 bytes. */
const q6k: Dequantize = (data, at, out, to) => {
  const d = half(data, at + 208);
  for (let i = 0; i < 256; i++) {
    const [part, run, lane] = [i >> 7, (i >> 5) & 3, i & 31];
    const low = data[at + part * 64 + (run & 1) * 32 + lane]! >> (run >> 1 ? 4 : 0);
    const high = data[at + 128 + part * 32 + lane]! >> (2 * run);
    out[to + i] = d * int8(data, at + 192 + (i >> 4)) * (((low & 15) | ((high & 3) << 4)) - 32);
  }
};

export const DEQUANTIZE: Readonly<Record<BlockType, Dequantize>> = {
  q8_0: (data, at, out, to) => {
    const d = half(data, at);
    for (let i = 0; i < 32; i++) out[to + i] = d * int8(data, at + 2 + i);
  },
  q4_0: nibbles(2, symmetric(8)),
  q4_1: nibbles(4, affine),
  q5_0: nibbles(6, symmetric(16), 2),
  q5_1: nibbles(8, affine, 4),
  q4_k: q4k,
  q6_k: q6k,
};
