import { describe, expect, it } from 'vitest';
import type { DType } from '../types.ts';
import { HALVES } from './blocks.ts';
import { firstNonFinite, fromF32, toF32 } from './convert.ts';
import { BLOCKS } from './dtype.ts';
import { bf16Bits, bf16Value, f16Bits, f16Value } from './half.ts';

describe('binary16', () => {
  it.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65519.996, 0x7bff],
    [65520, 0x7c00],
    [Infinity, 0x7c00],
    [-Infinity, 0xfc00],
    [2 ** -14, 0x0400], // smallest normal
    [2 ** -24, 0x0001], // smallest subnormal
    [2 ** -25, 0x0000], // tie, to even
    [1.5 * 2 ** -24, 0x0002], // tie, to even
    [2.5 * 2 ** -24, 0x0002], // tie, to even
    [2 ** -25 * 1.0001, 0x0001],
    [2 ** -14 - 2 ** -26, 0x0400], // a subnormal that rounds up to a normal
    [1 + 2 ** -11, 0x3c00], // tie, to even
    [1 + 3 * 2 ** -11, 0x3c02], // tie, to even
    [1 + 2 ** -11 + 2 ** -20, 0x3c01],
    [0.1, 0x2e66],
    [1 / 3, 0x3555],
  ])('%f is stored as %i', (value, bits) => expect(f16Bits(value)).toBe(bits));

  it('survives the way there and back for all 65,536 patterns', () => {
    for (let bits = 0; bits < 65536; bits++) {
      const value = f16Value(bits);
      if (Number.isNaN(value)) expect(f16Bits(value) & 0x7fff).toBe(0x7e00);
      else if (f16Bits(value) !== bits) expect([bits, f16Bits(value)]).toEqual([bits, bits]);
    }
  });

  it('always picks a nearest value', () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const low = f16Value(bits);
      const high = f16Value(bits + 1);
      const middle = (low + high) / 2; // exact in f32
      expect(f16Bits(middle)).toBe(bits % 2 === 0 ? bits : bits + 1);
    }
  });
});

describe('bfloat16', () => {
  it.each([
    [1, 0x3f80],
    [-1, 0xbf80],
    [1 + 2 ** -8, 0x3f80], // tie, to even
    [1 + 3 * 2 ** -8, 0x3f82], // tie, to even
    [1 + 2 ** -8 + 2 ** -20, 0x3f81],
    [3.4028234e38, 0x7f80], // rounds to infinity
    [2 ** -133, 0x0001], // smallest subnormal
    [-Infinity, 0xff80],
    [3.14159274, 0x4049],
  ])('%f is stored as %i', (value, bits) => expect(bf16Bits(value)).toBe(bits));

  it('keeps NaN and every pattern', () => {
    expect(Number.isNaN(bf16Value(bf16Bits(NaN)))).toBe(true);
    for (let bits = 0; bits < 65536; bits++) {
      const value = bf16Value(bits);
      if (!Number.isNaN(value) && bf16Bits(value) !== bits) expect(bf16Bits(value)).toBe(bits);
    }
  });
});

describe('q8_0', () => {
  it('reads the block that ggml writes', () => {
    // scale 2^-6 (f16 0x2400), weights -16 … 15 times that
    const data = Uint8Array.from([0x00, 0x24, ...Array.from({ length: 32 }, (_, i) => (i - 16) & 0xff)]);
    const values = toF32({ dtype: 'q8_0', shape: [1, 32], data });
    expect([...values]).toEqual(Array.from({ length: 32 }, (_, i) => (i - 16) / 64));
  });

  it('is exact on multiples of its scale and off by half a step at most elsewhere', () => {
    const exact = Float32Array.from({ length: 64 }, (_, i) => (i < 32 ? i * 4 + 3 : -4 * (i - 32) - 3));
    expect(toF32(fromF32(exact, 'q8_0', [2, 32]))).toEqual(exact);
    const other = Float32Array.from({ length: 64 }, (_, i) => Math.fround(Math.cos(i * 1.7)));
    const back = toF32(fromF32(other, 'q8_0', [64]));
    for (let i = 0; i < 64; i++) expect(Math.abs(back[i]! - other[i]!)).toBeLessThan(0.51 / 127);
    expect([...toF32(fromF32(new Float32Array(32), 'q8_0', [32]))]).toEqual(Array(32).fill(0));
  });

  it('refuses rows that are not whole blocks', () => {
    expect(() => fromF32(new Float32Array(48), 'q8_0', [3, 16])).toThrow(/whole blocks/);
  });
});

describe('tensors', () => {
  it.each(['f32', 'f16', 'bf16'] as DType[])('%s goes there and back, at any address', (dtype) => {
    const values = Float32Array.of(1, -0.5, 0, 2, 96, -1.5);
    const tensor = fromF32(values, dtype, [2, 3]);
    const shifted = new Uint8Array(tensor.data.length + 1);
    shifted.set(tensor.data, 1);
    expect(toF32({ ...tensor, data: shifted.subarray(1) })).toEqual(values);
  });

  it('refuses bytes that do not fill the shape, and types without a writer', () => {
    expect(() => toF32({ dtype: 'f16', shape: [4], data: new Uint8Array(7) })).toThrow(/do not make/);
    expect(() => toF32({ dtype: 'q4_k', shape: [256], data: new Uint8Array(143) })).toThrow(/do not make/);
    expect(() => fromF32(new Float32Array(256), 'q4_k', [256])).toThrow(/no writer/);
    expect(() => fromF32(new Float32Array(3), 'f32', [4])).toThrow(/do not fill/);
  });

  it('finds a NaN or infinity by its bits', () => {
    for (const dtype of ['f32', 'f16', 'bf16'] as DType[]) {
      expect(firstNonFinite(fromF32(Float32Array.of(1, -65504, 0), dtype, [3]))).toBe(-1);
      expect(firstNonFinite(fromF32(Float32Array.of(1, 2, NaN), dtype, [3]))).toBe(2);
      expect(firstNonFinite(fromF32(Float32Array.of(1, -Infinity, NaN), dtype, [3]))).toBe(1);
    }
    const blocks = new Float32Array(64).fill(1);
    blocks[40] = Infinity;
    expect(firstNonFinite(fromF32(blocks, 'q8_0', [64]))).toBe(32);
    // Two blocks with each of their f16 numbers in turn an infinity.
    for (const dtype of ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q4_k', 'q6_k'] as const) {
      const { weights, bytes } = BLOCKS[dtype];
      const shape = [2 * weights];
      expect(firstNonFinite({ dtype, shape, data: new Uint8Array(2 * bytes) })).toBe(-1);
      for (const place of HALVES[dtype]) {
        const data = new Uint8Array(2 * bytes);
        data[bytes + place + 1] = 0x7c;
        expect(firstNonFinite({ dtype, shape, data })).toBe(weights);
      }
    }
  });
});
