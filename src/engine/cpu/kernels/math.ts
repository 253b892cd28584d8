// exp and log as polynomials, so that Node and every browser compute the same bits.
// exp: x = n ln2 + r, Cephes' expf polynomial on |r| <= ln2/2, below -87.3 it is 0; NaN stays NaN. Within 2 ulp.
// log: f64, m = (1+s)/(1-s), 2 (s + s^3/3 + ...).

const MAGIC: f32 = 12582912; // 1.5 * 2^23: adding it leaves the nearest integer in the low bits

export function exp4(x: v128): v128 {
  let under = f32x4.lt(x, f32x4.splat(-87.3));
  x = f32x4.pmin(x, f32x4.splat(88.3)); // one instruction, unlike min, and keeps NaN
  let t = f32x4.add(f32x4.mul(x, f32x4.splat(1.44269504088896341)), f32x4.splat(MAGIC));
  let n = f32x4.sub(t, f32x4.splat(MAGIC));
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(r, r), p), r), f32x4.splat(1));
  let scale = i32x4.add(i32x4.shl(t, 23), i32x4.splat(0x3f800000));
  return v128.andnot(f32x4.mul(p, scale), under);
}

export function log1(x: f64): f64 {
  let bits = reinterpret<i64>(x);
  let e = <i32>((bits >> 52) & 0x7ff) - 1023;
  let m = reinterpret<f64>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    e += 1;
  }
  let s = (m - 1) / (m + 1);
  let q = s * s;
  let sum: f64 = 0;
  for (let i = 23; i >= 1; i -= 2) sum = sum * q + 1 / <f64>i;
  return 2 * s * sum + <f64>e * 0.6931471805599453;
}

/** Sum of four lanes in a fixed order. */
export function sum4(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

export function max4(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}
