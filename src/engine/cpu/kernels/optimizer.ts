// AdamW (Loshchilov & Hutter 2019) as PyTorch writes it, over flat buffers; g is first multiplied by `scale`, and where
// that is NaN nothing changes.
//   p -= lr wd p; m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; p -= lr/(1-b1^t) m / (sqrt(v)/sqrt(1-b2^t) + eps)
// squareSum: partial sums of squares over fixed chunks of 4096 words in f64, for the global norm.
// clip: scale = limit / (norm + 1e-6) where a limit > 0 is exceeded, else 1; NaN where the norm or a log-probability is
// not finite.

const CHUNK: usize = 16384; // bytes

export function adamw(op: usize, thread: i32, threads: i32): void {
  let p = load<usize>(op, 4);
  let m = load<usize>(op, 8);
  let v = load<usize>(op, 12);
  let g = load<usize>(op, 16);
  let scale = load<f32>(load<usize>(op, 20));
  if (scale != scale) return;
  let quads = <u64>(load<u32>(op, 24) >> 2);
  let keep = f32x4.splat(load<f32>(op, 28));
  let b1 = f32x4.splat(load<f32>(op, 32));
  let c1 = f32x4.splat(load<f32>(op, 36));
  let b2 = f32x4.splat(load<f32>(op, 40));
  let c2 = f32x4.splat(load<f32>(op, 44));
  let step = f32x4.splat(load<f32>(op, 48));
  let root = f32x4.splat(load<f32>(op, 52));
  let eps = f32x4.splat(load<f32>(op, 56));
  let clip = f32x4.splat(scale);
  let end = <usize>((quads * (thread + 1)) / threads) * 16;
  for (let i = <usize>((quads * thread) / threads) * 16; i < end; i += 16) {
    let d = f32x4.mul(v128.load(g + i), clip);
    let mi = f32x4.add(f32x4.mul(v128.load(m + i), b1), f32x4.mul(d, c1));
    let vi = f32x4.add(f32x4.mul(v128.load(v + i), b2), f32x4.mul(f32x4.mul(d, d), c2));
    v128.store(m + i, mi);
    v128.store(v + i, vi);
    let denominator = f32x4.add(f32x4.div(f32x4.sqrt(vi), root), eps);
    let pi = f32x4.mul(v128.load(p + i), keep);
    v128.store(p + i, f32x4.sub(pi, f32x4.mul(step, f32x4.div(mi, denominator))));
  }
}

export function squareSum(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let g = load<usize>(op, 8);
  let bytes = load<usize>(op, 12) * 4;
  let chunks = <i32>((bytes + CHUNK - 1) / CHUNK);
  let last = (chunks * (thread + 1)) / threads;
  for (let c = (chunks * thread) / threads; c < last; c++) {
    let from = <usize>c * CHUNK;
    let to = min(bytes, from + CHUNK);
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    for (let i = from; i < to; i += 16) {
      let x = v128.load(g + i);
      let a = f64x2.promote_low_f32x4(x);
      let b = f64x2.promote_low_f32x4(v128.shuffle<i32>(x, x, 2, 3, 2, 3));
      low = f64x2.add(low, f64x2.mul(a, a));
      high = f64x2.add(high, f64x2.mul(b, b));
    }
    low = f64x2.add(low, high);
    store<f64>(out + (<usize>c << 3), f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1));
  }
}

export function clip(op: usize, thread: i32, threads: i32): void {
  if (thread != 0) return;
  let scale = load<usize>(op, 4);
  let partials = load<usize>(op, 8);
  let logps = load<usize>(op, 12);
  let count = load<usize>(op, 16);
  let rows = load<usize>(op, 20);
  let limit = <f64>load<f32>(op, 24);
  let sum: f64 = 0;
  for (let i: usize = 0; i < count; i++) sum += load<f64>(partials + (i << 3));
  let norm = sqrt(sum);
  let finite = isFinite(norm);
  for (let i: usize = 0; i < rows; i++) finite = finite && isFinite(load<f32>(logps + (i << 2)));
  store<f32>(scale, !finite ? NaN : limit > 0 && norm > limit ? <f32>(limit / (norm + 1e-6)) : 1);
}
