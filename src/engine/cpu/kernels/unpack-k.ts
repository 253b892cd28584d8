// The two block types of 256 weights, for `unpack`: 8 columns' blocks side by side, byte i of column c at 8 i + c.
// Formulas and their roundings as in model/blocks.ts. Knows nothing of panels.
import { half4 } from './unpack';

/** i16 lanes 0..3 and 4..7 as f32. */
// @ts-ignore: decorator
@inline
function low4(q: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q));
}
// @ts-ignore: decorator
@inline
function high4(q: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q));
}

/** Run j of 32: (d scale) q - (dmin min). Bytes: d, dmin (f16), 12 of scales and minima, 128 of weights. */
export function q4k(p: usize, out: usize): void {
  let d0 = half4(v128.load16x4_u(p));
  let d1 = half4(v128.load16x4_u(p, 8));
  let e0 = half4(v128.load16x4_u(p, 16));
  let e1 = half4(v128.load16x4_u(p, 24));
  let six = i16x8.splat(63);
  let low = i16x8.splat(15);
  for (let j: usize = 0; j < 8; j++) {
    let s = p + 32 + (j << 3); // byte j of the twelve; j + 4 and j - 4 are 32 bytes away
    let scale: v128, min: v128;
    if (j < 4) {
      scale = v128.and(v128.load8x8_u(s), six);
      min = v128.and(v128.load8x8_u(s, 32), six);
    } else {
      let rest = v128.load8x8_u(s, 32);
      scale = v128.or(v128.and(rest, low), i16x8.shl(i16x8.shr_u(v128.load8x8_u(s - 32), 6), 4));
      min = v128.or(i16x8.shr_u(rest, 4), i16x8.shl(i16x8.shr_u(v128.load8x8_u(s), 6), 4));
    }
    let s0 = f32x4.mul(d0, low4(scale));
    let s1 = f32x4.mul(d1, high4(scale));
    let m0 = f32x4.mul(e0, low4(min));
    let m1 = f32x4.mul(e1, high4(min));
    let b = p + 128 + (j >> 1) * 256;
    let shift = <i32>(j & 1) << 2;
    for (let i = 0; i < 32; i++) {
      let q = v128.and(i16x8.shr_u(v128.load8x8_u(b), shift), low);
      v128.store(out, f32x4.sub(f32x4.mul(low4(q), s0), m0));
      v128.store(out, f32x4.sub(f32x4.mul(high4(q), s1), m1), 16);
      b += 8;
      out += 32;
    }
  }
}

/** Run j of 16: (d scale) (q - 32). Bytes: 128 of four low bits, 64 of two high bits, 16 scales (int8), d (f16). */
export function q6k(p: usize, out: usize): void {
  let d0 = half4(v128.load16x4_u(p + 208 * 8));
  let d1 = half4(v128.load16x4_u(p + 208 * 8, 8));
  let low = i16x8.splat(15);
  let two = i16x8.splat(3);
  let zero = i16x8.splat(32);
  for (let j: usize = 0; j < 16; j++) {
    let scale = v128.load8x8_s(p + (192 + j) * 8);
    let s0 = f32x4.mul(d0, low4(scale));
    let s1 = f32x4.mul(d1, high4(scale));
    let part = j >> 3;
    let run = (j >> 1) & 3; // of 32
    let first = (j & 1) << 4;
    let l = p + (part * 64 + (run & 1) * 32 + first) * 8;
    let h = p + (128 + part * 32 + first) * 8;
    let shiftL = <i32>(run >> 1) << 2;
    let shiftH = <i32>run << 1;
    for (let i = 0; i < 16; i++) {
      let q = v128.and(i16x8.shr_u(v128.load8x8_u(l), shiftL), low);
      let top = v128.and(i16x8.shr_u(v128.load8x8_u(h), shiftH), two);
      q = i16x8.sub(v128.or(q, i16x8.shl(top, 4)), zero);
      v128.store(out, f32x4.mul(low4(q), s0));
      v128.store(out, f32x4.mul(high4(q), s1), 16);
      l += 8;
      h += 8;
      out += 32;
    }
  }
}
