// Chooses one token a row. Row parameters (8 words): temperature, top-k, top-p, seed low, seed high, counter, mask
// offset or -1, unused. Results (4 words): token or -1 (logits not finite) or -2 (mask empty), log-probability
// (untempered, unmasked), probability that the mask removed (at the sampling temperature), unused.
// Temperature, then mask, then top-k, then top-p of what is left. Both cut at a value found by bisection over float
// bit patterns (no sort); ties at the cut go to the lower ids. The draw is Philox4x32-10: a function of (seed, counter).
import { exp4, log1 } from './math';
import { notFinite, rowMax } from './loss';
import { scratch } from './sync';

/** Philox4x32-10 (Salmon et al. 2011), first output word as a number in [0, 1). */
function uniform(lo: u32, hi: u32, counter: u32): f64 {
  let c0 = counter;
  let c1: u32 = 0;
  let c2: u32 = 0;
  let c3: u32 = 0;
  for (let i = 0; i < 10; i++) {
    let a = <u64>c0 * 0xd2511f53;
    let b = <u64>c2 * 0xcd9e8d57;
    c0 = <u32>(b >> 32) ^ c1 ^ lo;
    c1 = <u32>b;
    c2 = <u32>(a >> 32) ^ c3 ^ hi;
    c3 = <u32>a;
    lo += 0x9e3779b9;
    hi += 0xbb67ae85;
  }
  return (<f64>c0 * 2097152 + <f64>(c1 >> 11)) / 9007199254740992.0;
}

/** Sum (or count) of values whose bits are at least `cut`; e is padded with zeros to whole vectors. */
function above(e: usize, end: usize, cut: u32, counting: bool): f64 {
  let least = i32x4.splat(cut);
  if (counting) {
    let count = i32x4.splat(0);
    for (let p = e; p < end; p += 16) count = i32x4.sub(count, i32x4.ge_s(v128.load(p), least));
    count = i32x4.add(count, v128.shuffle<i32>(count, count, 2, 3, 2, 3));
    return <f64>(i32x4.extract_lane(count, 0) + i32x4.extract_lane(count, 1));
  }
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  for (let p = e; p < end; p += 16) {
    let v = v128.load(p);
    v = v128.and(v, i32x4.ge_s(v, least));
    low = f64x2.add(low, f64x2.promote_low_f32x4(v));
    high = f64x2.add(high, f64x2.promote_low_f32x4(v128.shuffle<i32>(v, v, 2, 3, 2, 3)));
  }
  low = f64x2.add(low, high);
  return f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1);
}

/**
 * Keeps the largest values until `goal` (a count, or a mass) is reached and zeroes the rest. One pass sums by exponent
 * (values are at most 1, so 128 of them), the cut is then found among the values of one exponent alone.
 */
function keepLargest(e: usize, end: usize, goal: f64, counting: bool): void {
  let sums = end;
  memory.fill(sums, 0, 1024);
  for (let p = e; p < end; p += 4) {
    let cell = sums + ((<usize>load<u32>(p) >> 23) << 3);
    store<f64>(cell, load<f64>(cell) + (counting ? 1 : <f64>load<f32>(p)));
  }
  let exponent: u32 = 127;
  let have: f64 = 0;
  while (exponent > 0 && have + load<f64>(sums + (<usize>exponent << 3)) < goal) {
    have += load<f64>(sums + (<usize>exponent << 3));
    exponent--;
  }
  let list = sums + 1024;
  let last = list;
  for (let p = e; p < end; p += 4) {
    if (load<u32>(p) >> 23 != exponent) continue;
    store<u32>(last, load<u32>(p));
    last += 4;
  }
  for (; (last & 15) != 0; last += 4) store<u32>(last, 0);
  let cut = exponent << 23;
  for (let bit: u32 = 1 << 22; bit != 0; bit >>= 1) if (have + above(list, last, cut | bit, counting) >= goal) cut |= bit;
  if (cut == 0) return;
  have += above(list, last, cut + 1, counting);
  for (let p = e; p < end; p += 4) {
    let bits = load<u32>(p);
    if (bits > cut) continue;
    if (bits == cut && have < goal) have += counting ? 1 : <f64>load<f32>(p);
    else store<f32>(p, 0);
  }
}

function argmax(z: usize, vocab: i32, mask: usize): i32 {
  let best = -2;
  let top: f32 = -Infinity;
  for (let i = 0; i < vocab; i++) {
    if (mask != 0 && load<u8>(mask + <usize>i) == 0) continue;
    let v = load<f32>(z + (<usize>i << 2));
    if (best < 0 || v > top) {
      best = i;
      top = v;
    }
  }
  return best;
}

function draw(e: usize, vocab: i32, u: f64): i32 {
  let total: f64 = 0;
  for (let i = 0; i < vocab; i++) total += <f64>load<f32>(e + (<usize>i << 2));
  let goal = u * total;
  let last = -2;
  let sum: f64 = 0;
  for (let i = 0; i < vocab; i++) {
    let v = load<f32>(e + (<usize>i << 2));
    if (v == 0) continue;
    last = i;
    sum += <f64>v;
    if (sum > goal) break;
  }
  return last;
}

export function sample(op: usize, thread: i32, threads: i32): void {
  let results = load<usize>(op, 4);
  let logits = load<usize>(op, 8);
  let parameters = load<usize>(op, 12);
  let masks = load<usize>(op, 16);
  let rows = load<i32>(op, 20);
  let vocab = load<i32>(op, 24);
  let ld = load<i32>(op, 28);
  let bytes = <usize>ld * 4;
  let e = scratch;
  let end = <usize>((rows * (thread + 1)) / threads);
  for (let r = <usize>((rows * thread) / threads); r < end; r++) {
    let z = logits + r * bytes;
    let row = parameters + r * 32;
    let result = results + r * 16;
    if (notFinite(z, z + bytes)) {
      store<i32>(result, -1);
      continue;
    }
    let temperature = load<f32>(row);
    let topK = load<i32>(row, 4);
    let topP = load<f32>(row, 8);
    let maskAt = load<i32>(row, 24);
    let mask: usize = maskAt < 0 ? 0 : masks + <usize>maskAt;
    let top = rowMax(z, vocab, ld);
    let shift = f32x4.splat(top);
    let sums = f64x2.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      let x = exp4(f32x4.sub(v128.load(z + i), shift));
      sums = f64x2.add(sums, f64x2.promote_low_f32x4(x));
      sums = f64x2.add(sums, f64x2.promote_low_f32x4(v128.shuffle<i32>(x, x, 2, 3, 2, 3)));
      v128.store(e + i, x);
    }
    let lse = <f64>top + log1(f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
    let token: i32;
    let removed: f64 = 0;
    if (temperature == 0) {
      token = argmax(z, vocab, mask);
      if (mask != 0 && token >= 0 && load<f32>(z + (<usize>token << 2)) < top) removed = 1;
    } else {
      if (temperature != 1) {
        let inverse = f32x4.splat(<f32>1 / temperature);
        for (let i: usize = 0; i < bytes; i += 16) {
          v128.store(e + i, exp4(f32x4.mul(f32x4.sub(v128.load(z + i), shift), inverse)));
        }
      }
      let left: f64 = 1;
      if (mask != 0) {
        let all: f64 = 0;
        left = 0;
        for (let i: usize = 0; i < <usize>vocab; i++) {
          let v = <f64>load<f32>(e + (i << 2));
          all += v;
          if (load<u8>(mask + i) != 0) left += v;
          else store<f32>(e + (i << 2), 0);
        }
        removed = 1 - left / all;
      }
      if (left <= 0) {
        token = argmax(z, vocab, mask); // all allowed tokens underflowed
      } else {
        if (topK > 0 && topK < vocab) keepLargest(e, e + bytes, <f64>topK, true);
        if (topP > 0 && topP < 1) keepLargest(e, e + bytes, <f64>topP * above(e, e + bytes, 0, false), false);
        token = draw(e, vocab, uniform(load<u32>(row, 12), load<u32>(row, 16), load<u32>(row, 20)));
      }
    }
    store<i32>(result, token);
    if (token >= 0) store<f32>(result, <f32>(<f64>load<f32>(z + (<usize>token << 2)) - lse), 4);
    store<f32>(result, <f32>removed, 8);
  }
}
