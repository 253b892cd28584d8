// Weight panels in their storage type -> f32. A weight [N, K] is kept as panels [N/8][K][8]; `unpack` writes rows
// k0..k0+count of one panel as [count][8] floats. A new storage type is one more case here and in plan/dtype.ts.
//   f32, f16, bf16: elements in panel order.
//   q8_0: per 32 of k: 8 f16 scales (one a column), then [32][8] int8; value = scale * q.

export const F32: i32 = 0;
const F16: i32 = 1;
const BF16: i32 = 2;
const Q8_0: i32 = 3;

/** f16 bits in the low half of each lane -> f32; subnormals by the multiply, infinities are not expected. */
function half4(h: v128): v128 {
  let sign = i32x4.shl(v128.and(h, i32x4.splat(0x8000)), 16);
  let magnitude = i32x4.shl(v128.and(h, i32x4.splat(0x7fff)), 13);
  return v128.or(f32x4.mul(magnitude, f32x4.splat(5.192296858534828e33)), sign); // 2^112
}

/** Bytes of one panel. */
export function panelBytes(dtype: i32, k: i32): usize {
  if (dtype == F32) return <usize>k * 32;
  if (dtype == Q8_0) return <usize>(k >> 5) * 272;
  return <usize>k * 16;
}

export function unpack(dtype: i32, panel: usize, k0: i32, count: i32, out: usize): void {
  if (dtype == F16) {
    let p = panel + <usize>k0 * 16;
    for (let i = 0; i < count; i++) {
      v128.store(out, half4(v128.load16x4_u(p)));
      v128.store(out, half4(v128.load16x4_u(p, 8)), 16);
      p += 16;
      out += 32;
    }
  } else if (dtype == BF16) {
    let p = panel + <usize>k0 * 16;
    for (let i = 0; i < count; i++) {
      v128.store(out, i32x4.shl(v128.load16x4_u(p), 16));
      v128.store(out, i32x4.shl(v128.load16x4_u(p, 8), 16), 16);
      p += 16;
      out += 32;
    }
  } else if (dtype == Q8_0) {
    for (let k = k0; k < k0 + count; k += 32) {
      let p = panel + <usize>(k >> 5) * 272;
      let s0 = half4(v128.load16x4_u(p));
      let s1 = half4(v128.load16x4_u(p, 8));
      p += 16;
      for (let i = 0; i < 32; i++) {
        let q = v128.load8x8_s(p);
        v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q)), s0));
        v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q)), s1), 16);
        p += 8;
        out += 32;
      }
    }
  } else {
    memory.copy(out, panel + <usize>k0 * 32, <usize>count * 32);
  }
}

/** Smallest run of k that can be unpacked on its own. */
export function unpackUnit(dtype: i32): i32 {
  return dtype == Q8_0 ? 32 : 8;
}
