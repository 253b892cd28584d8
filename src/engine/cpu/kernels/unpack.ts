// Weight panels in their storage type -> f32. A weight [N, K] is kept as panels [N/8][K][8]; `unpack` writes rows
// k0..k0+count of one panel as [count][8] floats. A new storage type is one more case here and in plan/shape.ts.
//   f32, f16, bf16: elements in panel order.
//   Block types: the 8 columns' blocks of the same k, byte i of column c at 8 i + c, an f16 at byte i at 8 i + 2 c. So one
//   load gives the same field of 8 columns, and each lane does what model/blocks.ts does, rounded after each operation.
import { q4k, q6k } from './unpack-k';

export const F32: i32 = 0;
const F16: i32 = 1;
const BF16: i32 = 2;
const Q8_0: i32 = 3;
const Q4_0: i32 = 4;
const Q4_1: i32 = 5;
const Q5_0: i32 = 6;
const Q5_1: i32 = 7;
const Q4_K: i32 = 8;

/** f16 bits in the low half of each lane -> f32; subnormals by the multiply, infinities are not expected. */
// @ts-ignore: decorator
@inline
export function half4(h: v128): v128 {
  let sign = i32x4.shl(v128.and(h, i32x4.splat(0x8000)), 16);
  let magnitude = i32x4.shl(v128.and(h, i32x4.splat(0x7fff)), 13);
  return v128.or(f32x4.mul(magnitude, f32x4.splat(5.192296858534828e33)), sign); // 2^112
}

/** Weights in a block. */
export function unpackUnit(dtype: i32): i32 {
  return dtype >= Q4_K ? 256 : dtype >= Q8_0 ? 32 : 8;
}

/** Bytes of one panel. */
export function panelBytes(dtype: i32, k: i32): usize {
  if (dtype == F32) return <usize>k * 32;
  if (dtype < Q8_0) return <usize>k * 16;
  return <usize>(k / unpackUnit(dtype)) * blockBytes(dtype) * 8;
}

/** Bytes of one column's block. */
function blockBytes(dtype: i32): usize {
  if (dtype == Q8_0) return 34;
  if (dtype < Q4_K) return <usize>(18 + 2 * (dtype - Q4_0)); // 18, 20, 22, 24
  return dtype == Q4_K ? 144 : 210;
}

/** out = q * s for 8 columns; q in i16. */
// @ts-ignore: decorator
@inline
function scaled(out: usize, q: v128, s0: v128, s1: v128): void {
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q)), s0));
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q)), s1), 16);
}

/** out = q * s + m. */
// @ts-ignore: decorator
@inline
function affine(out: usize, q: v128, s0: v128, s1: v128, m0: v128, m1: v128): void {
  v128.store(out, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q)), s0), m0));
  v128.store(out, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q)), s1), m1), 16);
}

/** Bit `j` of the 8 columns' bytes at p, as 16 or 0. */
// @ts-ignore: decorator
@inline
function fifth(p: usize, j: i32): v128 {
  let bits = i16x8.shr_u(v128.load8x8_u(p + (<usize>(j >> 3) << 3)), j & 7);
  return i16x8.shl(v128.and(bits, i16x8.splat(1)), 4);
}

function q8_0(p: usize, out: usize): void {
  let s0 = half4(v128.load16x4_u(p));
  let s1 = half4(v128.load16x4_u(p, 8));
  p += 16;
  for (let i = 0; i < 32; i++) {
    scaled(out, v128.load8x8_s(p), s0, s1);
    p += 8;
    out += 32;
  }
}

function q4_0(p: usize, out: usize): void {
  let s0 = half4(v128.load16x4_u(p));
  let s1 = half4(v128.load16x4_u(p, 8));
  let low = i16x8.splat(15);
  let zero = i16x8.splat(8);
  p += 16;
  for (let i = 0; i < 16; i++) {
    let q = v128.load8x8_u(p);
    scaled(out, i16x8.sub(v128.and(q, low), zero), s0, s1);
    scaled(out + 512, i16x8.sub(i16x8.shr_u(q, 4), zero), s0, s1);
    p += 8;
    out += 32;
  }
}

function q4_1(p: usize, out: usize): void {
  let s0 = half4(v128.load16x4_u(p));
  let s1 = half4(v128.load16x4_u(p, 8));
  let m0 = half4(v128.load16x4_u(p, 16));
  let m1 = half4(v128.load16x4_u(p, 24));
  let low = i16x8.splat(15);
  p += 32;
  for (let i = 0; i < 16; i++) {
    let q = v128.load8x8_u(p);
    affine(out, v128.and(q, low), s0, s1, m0, m1);
    affine(out + 512, i16x8.shr_u(q, 4), s0, s1, m0, m1);
    p += 8;
    out += 32;
  }
}

function q5_0(p: usize, out: usize): void {
  let s0 = half4(v128.load16x4_u(p));
  let s1 = half4(v128.load16x4_u(p, 8));
  let low = i16x8.splat(15);
  let zero = i16x8.splat(16);
  let high = p + 16;
  p += 48;
  for (let i = 0; i < 16; i++) {
    let q = v128.load8x8_u(p);
    scaled(out, i16x8.sub(v128.or(v128.and(q, low), fifth(high, i)), zero), s0, s1);
    scaled(out + 512, i16x8.sub(v128.or(i16x8.shr_u(q, 4), fifth(high, i + 16)), zero), s0, s1);
    p += 8;
    out += 32;
  }
}

function q5_1(p: usize, out: usize): void {
  let s0 = half4(v128.load16x4_u(p));
  let s1 = half4(v128.load16x4_u(p, 8));
  let m0 = half4(v128.load16x4_u(p, 16));
  let m1 = half4(v128.load16x4_u(p, 24));
  let low = i16x8.splat(15);
  let high = p + 32;
  p += 64;
  for (let i = 0; i < 16; i++) {
    let q = v128.load8x8_u(p);
    affine(out, v128.or(v128.and(q, low), fifth(high, i)), s0, s1, m0, m1);
    affine(out + 512, v128.or(i16x8.shr_u(q, 4), fifth(high, i + 16)), s0, s1, m0, m1);
    p += 8;
    out += 32;
  }
}

/** k0 and count are multiples of unpackUnit(dtype). */
export function unpack(dtype: i32, panel: usize, k0: i32, count: i32, out: usize): void {
  let p = panel + panelBytes(dtype, k0);
  if (dtype == F32) {
    memory.copy(out, p, <usize>count * 32);
    return;
  }
  if (dtype == F16) {
    for (let i = 0; i < count; i++) {
      v128.store(out, half4(v128.load16x4_u(p)));
      v128.store(out, half4(v128.load16x4_u(p, 8)), 16);
      p += 16;
      out += 32;
    }
    return;
  }
  if (dtype == BF16) {
    for (let i = 0; i < count; i++) {
      v128.store(out, i32x4.shl(v128.load16x4_u(p), 16));
      v128.store(out, i32x4.shl(v128.load16x4_u(p, 8), 16), 16);
      p += 16;
      out += 32;
    }
    return;
  }
  let unit = unpackUnit(dtype);
  let step = blockBytes(dtype) * 8;
  for (let k = 0; k < count; k += unit) {
    if (dtype == Q8_0) q8_0(p, out);
    else if (dtype == Q4_0) q4_0(p, out);
    else if (dtype == Q4_1) q4_1(p, out);
    else if (dtype == Q5_0) q5_0(p, out);
    else if (dtype == Q5_1) q5_1(p, out);
    else if (dtype == Q4_K) q4k(p, out);
    else q6k(p, out);
    p += step;
    out += <usize>unit * 32;
  }
}
