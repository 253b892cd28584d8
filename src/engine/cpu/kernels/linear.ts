// Forward linear layer: out[M,N] = alpha * (init + x[M,K] W[N,K]^T) + t[M,R] B[N,R]^T, init = 0, a bias or a residual.
// The second product is the LoRA pair's (t = scale * x A^T comes from a linear of its own). Padded sizes throughout
// (multiples of 8); rows go four at a time, fewer rows one at a time over four panels; each sum runs k = 0..K, then r.
import { itemSize, nextItem, scratch, scratchBytes } from './sync';
import { tile1, tile1x4, tile4 } from './tile';
import { F32, panelBytes, unpack } from './unpack';

/** rows x panels of W (f32, panel stride ldp) into out. */
function block(
  x: usize,
  ldx: usize,
  w: usize,
  ldp: usize,
  k: i32,
  rows: i32,
  panels: i32,
  out: usize,
  ldo: usize,
  init: usize,
  ldi: usize,
  alpha: f32,
): void {
  let quads = rows >> 2;
  if (quads > 0) {
    let b = w;
    for (let p: usize = 0; p < <usize>panels; p++) {
      let xr = x;
      let c = out + p * 32;
      let i = init != 0 ? init + p * 32 : 0;
      for (let r = 0; r < quads; r++) {
        tile4(xr, ldx, b, 32, k, c, ldo, i, ldi, alpha);
        xr += 4 * ldx;
        c += 4 * ldo;
        if (init != 0) i += 4 * ldi;
      }
      b += ldp;
    }
    x += <usize>(quads * 4) * ldx;
    out += <usize>(quads * 4) * ldo;
    if (init != 0) init += <usize>(quads * 4) * ldi;
  }
  for (let r = quads << 2; r < rows; r++) {
    let b = w;
    let p: usize = 0;
    for (; p + 4 <= <usize>panels; p += 4) {
      tile1x4(x, b, ldp, k, out + p * 32, init != 0 ? init + p * 32 : 0, alpha);
      b += 4 * ldp;
    }
    for (; p < <usize>panels; p++) {
      tile1(x, b, 32, k, out + p * 32, init != 0 ? init + p * 32 : 0, alpha);
      b += ldp;
    }
    x += ldx;
    out += ldo;
    if (init != 0) init += ldi;
  }
}

export function linear(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let x = load<usize>(op, 8);
  let w = load<usize>(op, 12);
  let init = load<usize>(op, 16);
  let t = load<usize>(op, 20);
  let b = load<usize>(op, 24);
  let dtype = load<i32>(op, 28);
  let rows = load<i32>(op, 32);
  let k = load<i32>(op, 36);
  let n = load<i32>(op, 40);
  let ldo = load<usize>(op, 44) * 4;
  let ldx = load<usize>(op, 48) * 4;
  let ldi = load<usize>(op, 52) * 4;
  let rank = load<i32>(op, 56);
  let ldt = load<usize>(op, 60) * 4;
  let alpha = load<f32>(op, 64);

  let panels = n >> 3;
  let ldw = panelBytes(dtype, k);
  let ldp = <usize>k * 32;
  let group = dtype == F32 ? max(1, <i32>(196608 / ldp)) : max(1, min(16, <i32>(scratchBytes / ldp)));
  let step = max(16, <i32>(131072 / ldx) & ~3);
  let byRows = panels < 4 * threads && rows >= 16;
  let total = byRows ? (rows + 3) >> 2 : panels;
  let size = itemSize(total, <f64>rows * <f64>k * <f64>n, threads, byRows ? 1 : 4);
  for (let from = nextItem(threads) * size; from < total; from = nextItem(threads) * size) {
    let to = min(total, from + size);
    let p0 = byRows ? 0 : from;
    let p1 = byRows ? panels : to;
    let r0 = byRows ? from << 2 : 0;
    let r1 = byRows ? min(rows, to << 2) : rows;
    for (let p = p0; p < p1; p += group) {
      let count = min(group, p1 - p);
      let panel = w + <usize>p * ldw;
      if (dtype != F32) {
        for (let i = 0; i < count; i++) unpack(dtype, panel + <usize>i * ldw, 0, k, scratch + <usize>i * ldp);
        panel = scratch;
      }
      let column = <usize>p * 32;
      for (let r = r0; r < r1; r += step) {
        let m = min(step, r1 - r);
        let row = <usize>r;
        let c = out + row * ldo + column;
        let i = init != 0 ? init + row * ldi + column : 0;
        block(x + row * ldx, ldx, panel, ldp, k, m, count, c, ldo, i, ldi, alpha);
        if (t != 0) {
          let lora = b + column * <usize>rank;
          block(t + row * ldt, ldt, lora, <usize>rank * 32, rank, m, count, c, ldo, c, ldo, 1);
        }
      }
    }
  }
}
