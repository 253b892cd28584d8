// SwiGLU: h = g s u with s = sigmoid(g). Backward: dg = dh u s (1 + g (1 - s)), du = dh g s.
import { exp4 } from './math';

function sigmoid(g: v128): v128 {
  let one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(g))));
}

export function swiglu(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let gate = load<usize>(op, 8);
  let up = load<usize>(op, 12);
  let quads = load<u32>(op, 16) >> 2;
  let end = <usize>(<u64>quads * (thread + 1) / threads) * 16;
  for (let i = <usize>(<u64>quads * thread / threads) * 16; i < end; i += 16) {
    let g = v128.load(gate + i);
    v128.store(out + i, f32x4.mul(f32x4.mul(g, sigmoid(g)), v128.load(up + i)));
  }
}

export function swigluGrad(op: usize, thread: i32, threads: i32): void {
  let dGate = load<usize>(op, 4);
  let dUp = load<usize>(op, 8);
  let dOut = load<usize>(op, 12);
  let gate = load<usize>(op, 16);
  let up = load<usize>(op, 20);
  let quads = load<u32>(op, 24) >> 2;
  let one = f32x4.splat(1);
  let end = <usize>(<u64>quads * (thread + 1) / threads) * 16;
  for (let i = <usize>(<u64>quads * thread / threads) * 16; i < end; i += 16) {
    let g = v128.load(gate + i);
    let s = sigmoid(g);
    let d = f32x4.mul(v128.load(dOut + i), s);
    let slope = f32x4.add(one, f32x4.mul(g, f32x4.sub(one, s)));
    v128.store(dGate + i, f32x4.mul(f32x4.mul(d, v128.load(up + i)), slope));
    v128.store(dUp + i, f32x4.mul(d, g));
  }
}
