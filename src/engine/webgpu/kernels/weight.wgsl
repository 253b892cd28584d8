// One element of a weight [N, K] that is kept as panels [N/8][K][8] in its storage type. DTYPE is the code of
// plan/shape.ts: 0 f32, 1 f16, 2 bf16, 3 q8_0 (per 32 of k: 8 f16 scales, one a column, then [32][8] int8).

/** Value of binary16 bits; subnormals without an f32 subnormal, which a GPU may flush. Infinities are not expected. */
fn half_value(h: u32) -> f32 {
  let sign = (h & 0x8000u) << 16u;
  let exponent = (h >> 10u) & 31u;
  let fraction = h & 1023u;
  if (exponent == 0u) {
    let size = f32(fraction) * 5.9604644775390625e-8; // 2^-24
    return select(size, -size, sign != 0u);
  }
  return bitcast<f32>(sign | ((exponent + 112u) << 23u) | (fraction << 13u));
}

fn weight(n: u32, k: u32) -> f32 {
  let column = n & 7u;
  if (DTYPE == 3u) {
    let block = ((n >> 3u) * (p.k >> 5u) + (k >> 5u)) * 68u;
    let scale = half_value((weight_word(block + (column >> 1u)) >> ((column & 1u) * 16u)) & 0xffffu);
    let at = (k & 31u) * 8u + column;
    let q = bitcast<i32>(weight_word(block + 4u + (at >> 2u)) << (24u - (at & 3u) * 8u)) >> 24u;
    return scale * f32(q);
  }
  let at = ((n >> 3u) * p.k + k) * 8u + column;
  if (DTYPE == 0u) {
    return bitcast<f32>(weight_word(at));
  }
  let h = (weight_word(at >> 1u) >> ((at & 1u) * 16u)) & 0xffffu;
  if (DTYPE == 2u) {
    return bitcast<f32>(h << 16u);
  }
  return half_value(h);
}
