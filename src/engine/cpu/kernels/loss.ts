// Cross-entropy of each row: lse = log sum_v exp(z_v), logp = z_target - lse; with coefficients c (= w / normalizer)
// the logits become their gradient, c (softmax - onehot). Non-finite logits (by bit pattern, before any max or clamp)
// give lse = NaN. Padding columns are left 0.
import { exp4, log1, max4, sum4 } from './math';

/** True when a value in [from, to) is NaN or infinite. */
export function notFinite(from: usize, to: usize): bool {
  let exponent = i32x4.splat(0x7f800000);
  let bad = i32x4.splat(0);
  for (let p = from; p < to; p += 16) bad = v128.or(bad, i32x4.eq(v128.and(v128.load(p), exponent), exponent));
  return v128.any_true(bad);
}

/** Pads [vocab, ld) with -inf, returns the largest logit. */
export function rowMax(z: usize, vocab: i32, ld: i32): f32 {
  for (let j = vocab; j < ld; j++) store<f32>(z + (<usize>j << 2), -Infinity);
  let best = f32x4.splat(-Infinity);
  for (let p = z; p < z + <usize>ld * 4; p += 16) best = f32x4.pmax(best, v128.load(p));
  return max4(best);
}

export function crossEntropy(op: usize, thread: i32, threads: i32): void {
  let logits = load<usize>(op, 4);
  let logps = load<usize>(op, 8);
  let lses = load<usize>(op, 12);
  let targets = load<usize>(op, 16);
  let coefficients = load<usize>(op, 20);
  let rows = load<i32>(op, 24);
  let vocab = load<i32>(op, 28);
  let ld = load<i32>(op, 32);
  let bytes = <usize>ld * 4;
  let end = <usize>((rows * (thread + 1)) / threads);
  for (let r = <usize>((rows * thread) / threads); r < end; r++) {
    let z = logits + r * bytes;
    let target = load<i32>(targets + (r << 2));
    if (notFinite(z, z + bytes)) {
      store<f32>(lses + (r << 2), NaN);
      store<f32>(logps + (r << 2), NaN);
      continue;
    }
    let at = z + (<usize>max(0, target) << 2);
    let chosen = load<f32>(at);
    let top = rowMax(z, vocab, ld);
    let shift = f32x4.splat(top);
    let sum = f32x4.splat(0);
    for (let p = z; p < z + bytes; p += 16) {
      let e = exp4(f32x4.sub(v128.load(p), shift));
      if (coefficients != 0) v128.store(p, e);
      sum = f32x4.add(sum, e);
    }
    let total = sum4(sum);
    let lse = <f64>top + log1(<f64>total);
    store<f32>(lses + (r << 2), <f32>lse);
    store<f32>(logps + (r << 2), <f32>(<f64>chosen - lse));
    if (coefficients != 0) {
      let c = load<f32>(coefficients + (r << 2));
      let scale = f32x4.splat(c / total);
      for (let p = z; p < z + bytes; p += 16) v128.store(p, f32x4.mul(v128.load(p), scale));
      store<f32>(at, load<f32>(at) - c);
    }
  }
}
