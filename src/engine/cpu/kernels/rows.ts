// Moving rows: embedding look-up and its gradient, gather, scatter, zero. Nothing is rounded here except the
// embedding gradient's sum, which runs over rows in order.
import { scratch } from './sync';
import { F32, panelBytes, unpack, unpackUnit } from './unpack';

/** out[r] = row ids[r] of the table [N, K], kept as panels. */
export function embed(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let table = load<usize>(op, 8);
  let ids = load<usize>(op, 12);
  let dtype = load<i32>(op, 16);
  let rows = load<i32>(op, 20);
  let k = load<i32>(op, 24);
  let end = (rows * (thread + 1)) / threads;
  let unit = max(64, unpackUnit(dtype));
  let width = panelBytes(dtype, k);
  for (let r = (rows * thread) / threads; r < end; r++) {
    let id = load<u32>(ids + (<usize>r << 2));
    let panel = table + <usize>(id >> 3) * width;
    let lane = <usize>(id & 7) << 2;
    let dst = out + <usize>r * <usize>k * 4;
    for (let k0 = 0; k0 < k; k0 += unit) {
      let count = min(unit, k - k0);
      let src = panel + <usize>k0 * 32;
      if (dtype != F32) {
        unpack(dtype, panel, k0, count, scratch);
        src = scratch;
      }
      src += lane;
      for (let i = 0; i < count; i++) {
        store<f32>(dst, load<f32>(src));
        src += 32;
        dst += 4;
      }
    }
  }
}

/** dTable[ids[r]] += dx[r]; threads split the columns, so that rows add up in order. */
export function embedGrad(op: usize, thread: i32, threads: i32): void {
  let table = load<usize>(op, 4);
  let dx = load<usize>(op, 8);
  let ids = load<usize>(op, 12);
  let rows = load<i32>(op, 16);
  let k = load<i32>(op, 20);
  let k0 = (k * thread) / threads;
  let k1 = (k * (thread + 1)) / threads;
  for (let r = 0; r < rows; r++) {
    let id = load<u32>(ids + (<usize>r << 2));
    let dst = table + (<usize>(id >> 3) * <usize>k + <usize>k0) * 32 + (<usize>(id & 7) << 2);
    let src = dx + <usize>(r * k + k0) * 4;
    for (let i = k0; i < k1; i++) {
      store<f32>(dst, load<f32>(dst) + load<f32>(src));
      dst += 32;
      src += 4;
    }
  }
}

/** out[r] = x[index[r]], or out[index[r]] = x[r] when scattering. */
export function moveRows(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let x = load<usize>(op, 8);
  let index = load<usize>(op, 12);
  let rows = load<i32>(op, 16);
  let bytes = load<usize>(op, 20) * 4;
  let scatter = load<i32>(op, 24) != 0;
  let end = (rows * (thread + 1)) / threads;
  for (let r = (rows * thread) / threads; r < end; r++) {
    let i = load<usize>(index + (<usize>r << 2));
    if (scatter) memory.copy(out + i * bytes, x + <usize>r * bytes, bytes);
    else memory.copy(out + <usize>r * bytes, x + i * bytes, bytes);
  }
}

export function zero(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let words = load<usize>(op, 8);
  let from = (words * thread) / threads;
  let to = (words * (thread + 1)) / threads;
  memory.fill(out + from * 4, 0, (to - from) * 4);
}
