// Backward of a linear layer.
// linearDx: dx[M,K] = alpha * (dx or 0 + dy[M,N] W[N,K]) + dt[M,R] A[R,K]. Panels of W are turned 8x8 block by block
//   into [N][8] in scratch (no transposed copy of the weights is kept), at most 512 of N at a time.
// linearDw: dW[N,K] (+)= dy[M,N]^T x[M,K], in panel order like W itself; sums run m = 0..M.
import { itemSize, nextItem, scratch, scratchBytes } from './sync';
import { tile1, tile4, tile4t } from './tile';
import { F32, panelBytes, unpack, unpackUnit } from './unpack';

const CHUNK: i32 = 512;

/** [8 k][8 n] floats at src (k apart 32 bytes) -> [8 n][8 k] at dst (n apart 32 bytes). */
export function turn8(src: usize, dst: usize): void {
  for (let half: usize = 0; half < 2; half++) {
    let s = src + half * 128;
    for (let i: usize = 0; i < 2; i++) {
      let a = v128.load(s + i * 16);
      let b = v128.load(s + i * 16, 32);
      let c = v128.load(s + i * 16, 64);
      let d = v128.load(s + i * 16, 96);
      let ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
      let ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      let cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
      let cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
      let o = dst + i * 128 + half * 16;
      v128.store(o, v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5));
      v128.store(o, v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7), 32);
      v128.store(o, v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5), 64);
      v128.store(o, v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7), 96);
    }
  }
}

/** `panels` transposed panels ([count][8], ldp apart) times rows of dy. */
function block(
  dy: usize,
  ldy: usize,
  w: usize,
  ldp: usize,
  count: i32,
  rows: i32,
  panels: i32,
  out: usize,
  ldo: usize,
  add: bool,
  alpha: f32,
): void {
  let quads = rows >> 2;
  for (let p: usize = 0; p < <usize>panels; p++) {
    let from = dy;
    let c = out + p * 32;
    for (let r = 0; r < quads; r++) {
      tile4(from, ldy, w + p * ldp, 32, count, c, ldo, add ? c : 0, ldo, alpha);
      from += 4 * ldy;
      c += 4 * ldo;
    }
  }
  dy += <usize>(quads * 4) * ldy;
  out += <usize>(quads * 4) * ldo;
  for (let r = quads << 2; r < rows; r++) {
    for (let p: usize = 0; p < <usize>panels; p++) {
      let c = out + p * 32;
      tile1(dy, w + p * ldp, 32, count, c, add ? c : 0, alpha);
    }
    dy += ldy;
    out += ldo;
  }
}

/** Transposed panels kp..kp+panels of rows n0..n0+count of W into dst, each [count][8]. */
function turnPanels(w: usize, dtype: i32, k: i32, kp: i32, panels: i32, n0: i32, count: i32, dst: usize): void {
  let ldw = panelBytes(dtype, k);
  let temp = dst + <usize>(panels * count) * 32;
  let unit = unpackUnit(dtype);
  let k0 = (kp << 3) / unit * unit;
  let k1 = min(k, ((((kp + panels) << 3) + unit - 1) / unit) * unit);
  for (let n = 0; n < count; n += 8) {
    let src = w + <usize>((n0 + n) >> 3) * ldw;
    if (dtype == F32) {
      src += <usize>kp * 256;
    } else {
      unpack(dtype, src, k0, k1 - k0, temp);
      src = temp + <usize>((kp << 3) - k0) * 32;
    }
    for (let p = 0; p < panels; p++) turn8(src + <usize>p * 256, dst + <usize>(p * count + n) * 32);
  }
}

export function linearDx(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let dy = load<usize>(op, 8);
  let w = load<usize>(op, 12);
  let dt = load<usize>(op, 16);
  let a = load<usize>(op, 20);
  let dtype = load<i32>(op, 24);
  let rows = load<i32>(op, 28);
  let k = load<i32>(op, 32);
  let n = load<i32>(op, 36);
  let ldo = load<usize>(op, 40) * 4;
  let ldy = load<usize>(op, 44) * 4;
  let add = load<i32>(op, 48) != 0;
  let rank = load<i32>(op, 52);
  let ldt = load<usize>(op, 56) * 4;
  let alpha = load<f32>(op, 60);

  let panels = k >> 3;
  // Room for the turned panels and, before them, for one unpacked run of k (as long as the group itself, or a unit).
  let chunk = min(CHUNK, n);
  let group = max(1, min(12, <i32>(scratchBytes / (<usize>chunk * 32)) - 2));
  let step = max(16, <i32>(131072 / (<usize>chunk * 4)) & ~3);
  let byRows = panels < 4 * threads && rows >= 16;
  let total = byRows ? (rows + 3) >> 2 : panels;
  let size = itemSize(total, <f64>rows * <f64>k * <f64>n, threads, 1);
  for (let from = nextItem(threads) * size; from < total; from = nextItem(threads) * size) {
    let to = min(total, from + size);
    let p0 = byRows ? 0 : from;
    let p1 = byRows ? panels : to;
    let r0 = byRows ? from << 2 : 0;
    let r1 = byRows ? min(rows, to << 2) : rows;
    for (let p = p0; p < p1; p += group) {
      let count = min(group, p1 - p);
      let column = <usize>p * 32;
      for (let n0 = 0; n0 < n; n0 += chunk) {
        let c = min(chunk, n - n0);
        turnPanels(w, dtype, k, p, count, n0, c, scratch);
        let last = n0 + c == n;
        for (let r = r0; r < r1; r += step) {
          let row = <usize>r;
          let src = dy + row * ldy + <usize>n0 * 4;
          let dst = out + row * ldo + column;
          block(src, ldy, scratch, <usize>c * 32, c, min(step, r1 - r), count, dst, ldo, add || n0 > 0, last ? alpha : 1);
        }
      }
      if (dt != 0) {
        turnPanels(a, F32, k, p, count, 0, rank, scratch);
        let dst = out + <usize>r0 * ldo + column;
        block(dt + <usize>r0 * ldt, ldt, scratch, <usize>rank * 32, rank, r1 - r0, count, dst, ldo, true, 1);
      }
    }
  }
}

const STRIP: i32 = 128;

export function linearDw(op: usize, thread: i32, threads: i32): void {
  let dw = load<usize>(op, 4);
  let dy = load<usize>(op, 8);
  let x = load<usize>(op, 12);
  let rows = load<i32>(op, 16);
  let k = load<i32>(op, 20);
  let n = load<i32>(op, 24);
  let ldy = load<usize>(op, 28) * 4;
  let ldx = load<usize>(op, 32) * 4;
  let add = load<i32>(op, 36) != 0;

  let panels = n >> 3;
  let quads = k >> 2;
  let byPanels = panels >= 8;
  let total = byPanels ? panels : quads;
  let size = itemSize(total, <f64>rows * <f64>k * <f64>n, threads, byPanels ? 8 : 1); // x is packed for each item
  for (let start = nextItem(threads) * size; start < total; start = nextItem(threads) * size) {
    let end = min(total, start + size);
    let p0 = byPanels ? start : 0;
    let p1 = byPanels ? end : panels;
    let q0 = byPanels ? 0 : start;
    let q1 = byPanels ? quads : end;
    let packedX = scratch;
    let packedY = scratch + <usize>(STRIP * (q1 - q0)) * 16;
    for (let m0 = 0; m0 < rows; m0 += STRIP) {
      let m = min(STRIP, rows - m0);
      let from = x + <usize>m0 * ldx + <usize>q0 * 16;
      for (let q: usize = 0; q < <usize>(q1 - q0); q++) {
        let s = from + q * 16;
        let d = packedX + q * <usize>m * 16;
        for (let i = 0; i < m; i++) {
          v128.store(d, v128.load(s));
          s += ldx;
          d += 16;
        }
      }
      for (let p = p0; p < p1; p++) {
        let s = dy + <usize>m0 * ldy + <usize>p * 32;
        let d = packedY;
        for (let i = 0; i < m; i++) {
          v128.store(d, v128.load(s));
          v128.store(d, v128.load(s, 16), 16);
          s += ldy;
          d += 32;
        }
        let c = dw + <usize>(p * k + (q0 << 2)) * 32;
        for (let q = q0; q < q1; q++) {
          let a = packedX + <usize>(q - q0) * <usize>m * 16;
          tile4t(a, 16, packedY, 32, m, c, 32, add || m0 > 0 ? c : 0, 32);
          c += 128;
        }
      }
    }
  }
}
