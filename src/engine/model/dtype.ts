// Sizes of the storage types. Knows nothing of files or arithmetic.
import { CodedError } from '../../errors.ts';
import type { DType } from '../types.ts';

/** Weights in one block of a type, and the bytes of that block (llama.cpp's ggml-common.h for the block types). */
export const BLOCKS: Readonly<Record<DType, { weights: number; bytes: number }>> = {
  f32: { weights: 1, bytes: 4 },
  f16: { weights: 1, bytes: 2 },
  bf16: { weights: 1, bytes: 2 },
  q8_0: { weights: 32, bytes: 34 },
  q4_0: { weights: 32, bytes: 18 },
  q4_1: { weights: 32, bytes: 20 },
  q5_0: { weights: 32, bytes: 22 },
  q5_1: { weights: 32, bytes: 24 },
  q4_k: { weights: 256, bytes: 144 },
  q6_k: { weights: 256, bytes: 210 },
};

/** Weights of a shape: the product of its sizes, 1 for a scalar. */
export function countOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Bytes of a tensor. A row (the last dimension) must be whole blocks. Errors: model/tensor. */
export function byteLength(dtype: DType, shape: readonly number[]): number {
  const { weights, bytes } = BLOCKS[dtype];
  if ((shape.at(-1) ?? 1) % weights !== 0) {
    const message = `a row of ${shape.at(-1)} weights is not whole blocks of ${weights} (${dtype})`;
    throw new CodedError('model/tensor', message, 'Store such tensors as f32, f16 or bf16.');
  }
  return (countOf(shape) / weights) * bytes;
}
