// One element of a weight [N, K] that is kept as panels [N/8][K][8] in its storage type (host/pack.ts). DTYPE is the code
// of plan/shape.ts: 0 f32, 1 f16, 2 bf16, then the block types 3 q8_0, 4 q4_0, 5 q4_1, 6 q5_0, 7 q5_1, 8 q4_k, 9 q6_k:
// the 8 columns' blocks of the same k lie interleaved, byte by byte, f16 by f16. Formulas as in model/blocks.ts.

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

/** Byte `i`, and the binary16 at byte `i`, of a column's block; the 8 blocks begin at word `block`. */
fn block_byte(block: u32, column: u32, i: u32) -> u32 {
  let at = i * 8u + column;
  return (weight_word(block + (at >> 2u)) >> ((at & 3u) * 8u)) & 255u;
}
fn block_half(block: u32, column: u32, i: u32) -> f32 {
  let at = i * 8u + column * 2u;
  return half_value((weight_word(block + (at >> 2u)) >> ((at & 3u) * 8u)) & 0xffffu);
}
fn signed_byte(byte: u32) -> f32 {
  return f32(bitcast<i32>(byte << 24u) >> 24u);
}

/** Weight `i` of 32, from bytes `at` and on: the low halves of 16 bytes, then their high halves. */
fn nibble(block: u32, column: u32, at: u32, i: u32) -> u32 {
  return (block_byte(block, column, at + (i & 15u)) >> ((i >> 4u) * 4u)) & 15u;
}
/** Its fifth bit, from the 4 bytes at `at`, as 0 or 16. */
fn fifth(block: u32, column: u32, at: u32, i: u32) -> u32 {
  return ((block_byte(block, column, at + (i >> 3u)) >> (i & 7u)) & 1u) << 4u;
}

/** Of a block of 32. */
fn weight_of_32(block: u32, c: u32, i: u32) -> f32 {
  let d = block_half(block, c, 0u);
  if (DTYPE == 3u) {
    return d * signed_byte(block_byte(block, c, 2u + i));
  }
  if (DTYPE == 4u) {
    return d * (f32(nibble(block, c, 2u, i)) - 8.0);
  }
  if (DTYPE == 5u) {
    return d * f32(nibble(block, c, 4u, i)) + block_half(block, c, 2u);
  }
  if (DTYPE == 6u) {
    return d * (f32(nibble(block, c, 6u, i) | fifth(block, c, 2u, i)) - 16.0);
  }
  return d * f32(nibble(block, c, 8u, i) | fifth(block, c, 4u, i)) + block_half(block, c, 2u);
}

/** q4_k, run j of 32: (d scale) q - (dmin min), scales and minima of 6 bits in 12 bytes. */
fn weight_of_q4k(block: u32, c: u32, i: u32) -> f32 {
  let j = i >> 5u;
  var scale = 0u;
  var least = 0u;
  if (j < 4u) {
    scale = block_byte(block, c, 4u + j) & 63u;
    least = block_byte(block, c, 8u + j) & 63u;
  } else {
    let rest = block_byte(block, c, 8u + j);
    scale = (rest & 15u) | ((block_byte(block, c, j) >> 6u) << 4u);
    least = (rest >> 4u) | ((block_byte(block, c, 4u + j) >> 6u) << 4u);
  }
  let q = (block_byte(block, c, 16u + (j >> 1u) * 32u + (i & 31u)) >> ((j & 1u) * 4u)) & 15u;
  return block_half(block, c, 0u) * f32(scale) * f32(q) - block_half(block, c, 2u) * f32(least);
}

/** q6_k, run j of 16: (d scale) (q - 32). */
fn weight_of_q6k(block: u32, c: u32, i: u32) -> f32 {
  let part = i >> 7u;
  let run = (i >> 5u) & 3u;
  let lane = i & 31u;
  let low = (block_byte(block, c, part * 64u + (run & 1u) * 32u + lane) >> ((run >> 1u) * 4u)) & 15u;
  let high = (block_byte(block, c, 128u + part * 32u + lane) >> (run * 2u)) & 3u;
  let scale = signed_byte(block_byte(block, c, 192u + (i >> 4u)));
  return block_half(block, c, 208u) * scale * (f32(low | (high << 4u)) - 32.0);
}

fn weight(n: u32, k: u32) -> f32 {
  let column = n & 7u;
  if (DTYPE >= 8u) {
    let block = (n >> 3u) * (p.k >> 8u) + (k >> 8u);
    if (DTYPE == 8u) {
      return weight_of_q4k(block * 288u, column, k & 255u);
    }
    return weight_of_q6k(block * 420u, column, k & 255u);
  }
  if (DTYPE >= 3u) {
    const words = select(DTYPE * 4u + 20u, 68u, DTYPE == 3u); // 18, 20, 22, 24 bytes a column, or 34
    return weight_of_32(((n >> 3u) * (p.k >> 5u) + (k >> 5u)) * words, column, k & 31u);
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
