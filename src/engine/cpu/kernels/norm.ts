// RMSNorm: y = x r w, r = 1 / sqrt(mean(x^2) + eps).
// Backward: dx = r (dy w - x r^2 mean(dy w x)); dw = sum over rows of dy x r.
// `width` is the true width, `ld` the padded one (padding of x and w is 0, so that of y is too).
import { sum4 } from './math';

function share(count: i32, thread: i32, threads: i32): i32 {
  return (count * thread) / threads;
}

export function rmsNorm(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let keep = load<usize>(op, 8);
  let x = load<usize>(op, 12);
  let w = load<usize>(op, 16);
  let rows = load<i32>(op, 20);
  let width = load<i32>(op, 24);
  let ld = load<usize>(op, 28) * 4;
  let eps = load<f32>(op, 32);
  let end = share(rows, thread + 1, threads);
  for (let r = share(rows, thread, threads); r < end; r++) {
    let src = x + <usize>r * ld;
    let dst = out + <usize>r * ld;
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < ld; i += 16) {
      let v = v128.load(src + i);
      sum = f32x4.add(sum, f32x4.mul(v, v));
    }
    let scale: f32 = <f32>1 / sqrt<f32>(sum4(sum) / <f32>width + eps);
    if (keep != 0) store<f32>(keep + (<usize>r << 2), scale);
    let s = f32x4.splat(scale);
    for (let i: usize = 0; i < ld; i += 16) {
      v128.store(dst + i, f32x4.mul(f32x4.mul(v128.load(src + i), s), v128.load(w + i)));
    }
  }
}

export function rmsNormGrad(op: usize, thread: i32, threads: i32): void {
  let dx = load<usize>(op, 4);
  let dy = load<usize>(op, 8);
  let x = load<usize>(op, 12);
  let w = load<usize>(op, 16);
  let keep = load<usize>(op, 20);
  let rows = load<i32>(op, 24);
  let width = load<i32>(op, 28);
  let ld = load<usize>(op, 32) * 4;
  let add = load<i32>(op, 36) != 0;
  let end = share(rows, thread + 1, threads);
  for (let r = share(rows, thread, threads); r < end; r++) {
    let row = <usize>r * ld;
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < ld; i += 16) {
      let g = f32x4.mul(v128.load(dy + row + i), v128.load(w + i));
      sum = f32x4.add(sum, f32x4.mul(g, v128.load(x + row + i)));
    }
    let scale = load<f32>(keep + (<usize>r << 2));
    let s = f32x4.splat(scale);
    let c = f32x4.splat((scale * scale * sum4(sum)) / <f32>width);
    for (let i: usize = 0; i < ld; i += 16) {
      let g = f32x4.mul(v128.load(dy + row + i), v128.load(w + i));
      let d = f32x4.mul(s, f32x4.sub(g, f32x4.mul(v128.load(x + row + i), c)));
      if (add) d = f32x4.add(d, v128.load(dx + row + i));
      v128.store(dx + row + i, d);
    }
  }
}

/** dw += sum over rows of dy x r, split among threads by columns; without x: dw += sum of dy (a bias). */
export function columnSum(op: usize, thread: i32, threads: i32): void {
  let dw = load<usize>(op, 4);
  let dy = load<usize>(op, 8);
  let x = load<usize>(op, 12);
  let keep = load<usize>(op, 16);
  let rows = load<i32>(op, 20);
  let ld = load<usize>(op, 24);
  let quads = <i32>(ld >> 2);
  let end = <usize>share(quads, thread + 1, threads);
  for (let q = <usize>share(quads, thread, threads); q < end; q++) {
    let sum = v128.load(dw + q * 16);
    let at = q * 16;
    for (let r = 0; r < rows; r++) {
      let g = v128.load(dy + at);
      if (x != 0) g = f32x4.mul(f32x4.mul(g, v128.load(x + at)), v128.load32_splat(keep + (<usize>r << 2)));
      sum = f32x4.add(sum, g);
      at += ld * 4;
    }
    v128.store(dw + q * 16, sum);
  }
}
