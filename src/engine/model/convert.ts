// Storage types to f32 and back, one tensor at a time. Knows nothing of files or kernels.
// Little-endian machines only, like WebAssembly. Rounding is to nearest, ties to even, for f16 and bf16.
import { CodedError } from '../../errors.ts';
import type { DType, Tensor } from '../types.ts';
import { byteLength, countOf } from './dtype.ts';

const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);

/** IEEE 754 binary16 bits of a number's f32 value: subnormals kept, overflow to infinity, NaN stays NaN. */
export function f16Bits(value: number): number {
  float[0] = value;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65,520 and above round to infinity
  if (magnitude < 0x38800000) {
    // Below 2^-14: a multiple of 2^-24. Adding 0.5 puts the rounding where the f32 adder does it, ties to even.
    bits[0] = magnitude;
    float[0] = float[0]! + 0.5;
    return sign | (bits[0]! - 0x3f000000);
  }
  const odd = (magnitude >>> 13) & 1;
  return sign | ((magnitude - 0x38000000 + 0x0fff + odd) >>> 13);
}

/** The number that binary16 bits stand for; exact. */
export function f16Value(half: number): number {
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** bfloat16 bits of a number's f32 value. */
export function bf16Bits(value: number): number {
  float[0] = value;
  const word = bits[0]!;
  if ((word & 0x7fffffff) > 0x7f800000) return (word >>> 16) | 0x40; // adding could carry a NaN into infinity
  return (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
}

/** The number that bfloat16 bits stand for; exact. */
export function bf16Value(half: number): number {
  bits[0] = half << 16;
  return float[0]!;
}

let halves: Float32Array | undefined; // all 65,536 binary16 values: four times as fast as computing them

/** A tensor's weights in f32: a copy, row-major. Errors: model/unsupported (block types without a reader yet). */
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
    case 'q8_0':
      for (let block = 0; 32 * block < count; block++) {
        const at = 34 * block;
        const scale = f16Value(data[at]! | (data[at + 1]! << 8));
        for (let i = 0; i < 32; i++) out[32 * block + i] = scale * ((data[at + 2 + i]! << 24) >> 24);
      }
      return out;
    default:
      throw new CodedError('model/unsupported', `no reader for ${dtype} weights`, 'Use f32, f16, bf16 or q8_0.');
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
 * Index of the first weight (first block's first weight, for block types) that is NaN or infinite, by its bits, or -1.
 * Of the block types only q8_0 is known; others count as finite.
 */
export function firstNonFinite(tensor: Tensor): number {
  const { data, dtype } = tensor;
  const high = (at: number): number => data[at]! | (data[at + 1]! << 8);
  if (dtype === 'q8_0') {
    for (let at = 0; at < data.length; at += 34) if ((high(at) & 0x7c00) === 0x7c00) return (at / 34) * 32;
    return -1;
  }
  if (dtype !== 'f32' && dtype !== 'f16' && dtype !== 'bf16') return -1;
  const size = dtype === 'f32' ? 4 : 2;
  const exponent = dtype === 'f16' ? 0x7c00 : 0x7f80; // f32 and bf16 share their upper half
  for (let at = size - 2; at < data.length; at += size) {
    if ((high(at) & exponent) === exponent) return (at - size + 2) / size;
  }
  return -1;
}
