// Storage types to f32 and back, one tensor at a time. Knows nothing of files or kernels.
// Little-endian machines only, like WebAssembly.
import { CodedError } from '../../errors.ts';
import type { DType, Tensor } from '../types.ts';
import { DEQUANTIZE, HALVES, isBlockType } from './blocks.ts';
import { BLOCKS, byteLength, countOf } from './dtype.ts';
import { bf16Bits, f16Bits, f16Value } from './half.ts';

let halves: Float32Array | undefined; // all 65,536 binary16 values: four times as fast as computing them

/** A tensor's weights in f32: a copy, row-major. Errors: model/tensor (bytes that are not those of its shape). */
export function toF32(tensor: Tensor): Float32Array<ArrayBuffer> {
  const count = countOf(tensor.shape);
  const out = new Float32Array(count);
  const { data, dtype } = tensor;
  if (data.length !== byteLength(dtype, tensor.shape)) {
    throw new CodedError('model/tensor', `${data.length} bytes do not make a ${dtype} tensor [${tensor.shape}]`);
  }
  switch (dtype) {
    case 'f32':
      new Uint8Array(out.buffer).set(data);
      return out;
    case 'f16': {
      halves ??= Float32Array.from({ length: 65536 }, (_, half) => f16Value(half));
      for (let i = 0; i < count; i++) out[i] = halves[data[2 * i]! | (data[2 * i + 1]! << 8)]!;
      return out;
    }
    case 'bf16': {
      const words = new Uint32Array(out.buffer);
      for (let i = 0; i < count; i++) words[i] = (data[2 * i]! << 16) | (data[2 * i + 1]! << 24);
      return out;
    }
    default: {
      const { weights, bytes } = BLOCKS[dtype];
      const dequantize = DEQUANTIZE[dtype];
      for (let at = 0, to = 0; to < count; at += bytes, to += weights) dequantize(data, at, out, to);
      return out;
    }
  }
}

/**
 * f32 weights as a tensor of another type: `values` is row-major with `shape`.
 * q8_0 is ggml's: per 32 weights the scale max|x|/127 in f16, then round(x / scale) as int8, ties away from zero.
 * Errors: model/tensor (lengths, rows that are not whole blocks), model/unsupported (other block types).
 */
export function fromF32(values: Float32Array, dtype: DType, shape: readonly number[]): Tensor {
  if (values.length !== countOf(shape)) {
    throw new CodedError('model/tensor', `${values.length} values do not fill the shape [${shape}]`);
  }
  const data = new Uint8Array(byteLength(dtype, shape));
  switch (dtype) {
    case 'f32':
      data.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      break;
    case 'f16':
    case 'bf16': {
      const words = new Uint16Array(data.buffer);
      const encode = dtype === 'f16' ? f16Bits : bf16Bits;
      for (let i = 0; i < values.length; i++) words[i] = encode(values[i]!);
      break;
    }
    case 'q8_0':
      for (let block = 0; 32 * block < values.length; block++) writeQ8Block(values, 32 * block, data, 34 * block);
      break;
    default:
      throw new CodedError('model/unsupported', `no writer for ${dtype} weights`, 'Use f32, f16, bf16 or q8_0.');
  }
  return { dtype, shape: [...shape], data };
}

function writeQ8Block(values: Float32Array, from: number, data: Uint8Array, to: number): void {
  let largest = 0;
  for (let i = 0; i < 32; i++) largest = Math.max(largest, Math.abs(values[from + i]!));
  const scale = Math.fround(largest / 127);
  const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
  const half = f16Bits(scale);
  data[to] = half & 0xff;
  data[to + 1] = half >>> 8;
  for (let i = 0; i < 32; i++) {
    const x = Math.fround(values[from + i]! * inverse);
    data[to + 2 + i] = Math.sign(x) * Math.floor(Math.abs(x) + 0.5);
  }
}

/**
 * Index of the first weight (for block types: the first weight of the first block) that is NaN or infinite because the
 * file says so, by its bits, or -1.
 */
export function firstNonFinite({ data, dtype }: Tensor): number {
  const high = (at: number): number => data[at]! | (data[at + 1]! << 8);
  const { weights, bytes } = BLOCKS[dtype];
  // f32 and bf16 share their upper half.
  const exponent = dtype === 'f32' || dtype === 'bf16' ? 0x7f80 : 0x7c00;
  const places = isBlockType(dtype) ? HALVES[dtype] : [bytes - 2];
  for (let at = 0; at < data.length; at += bytes) {
    for (const place of places) if ((high(at + place) & exponent) === exponent) return (at / bytes) * weights;
  }
  return -1;
}
