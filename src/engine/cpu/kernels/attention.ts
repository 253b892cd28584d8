// Causal attention over pages of 32 keys: s_j = scale q k_j, p = softmax(s), out = sum_j p_j v_j, lse = log sum exp s.
// One order per query (j ascending, four interleaved partial sums for the softmax), the same for prefill, decode and
// training. Scores of four rows at a time live in scratch; no T x T buffer. A unit is up to 16 queries of a sequence:
// [first row, queries, first position, start in the page table]; work item = unit x kv head, handed out by a counter.
import { exp4, log1, max4, sum4 } from './math';
import { nextItem, scratch } from './sync';
import { tile1, tile1x4, tile4 } from './tile';

let total: f32 = 0;
const TOTALS: usize = 16; // bytes of scratch before the scores: each row's sum

/** Turns s[0..len) into exp(s - max), zero up to `padded`; `total` becomes their sum; returns the maximum. */
function softmax(s: usize, len: i32, padded: i32): f32 {
  for (let j = len; j < padded; j++) store<f32>(s + (<usize>j << 2), -Infinity);
  let end = s + <usize>((len + 3) & ~3) * 4;
  let best = f32x4.splat(-Infinity);
  for (let p = s; p < end; p += 16) best = f32x4.pmax(best, v128.load(p));
  let top = max4(best);
  let shift = f32x4.splat(top);
  let sum = f32x4.splat(0);
  for (let p = s; p < end; p += 16) {
    let e = exp4(f32x4.sub(v128.load(p), shift));
    v128.store(p, e);
    sum = f32x4.add(sum, e);
  }
  total = sum4(sum);
  for (let p = end; p < s + <usize>padded * 4; p += 16) v128.store(p, f32x4.splat(0));
  return top;
}

/** Up to four rows: queries of one head (posStep 1) or heads of one query (posStep 0). */
function attendRows(
  q: usize,
  stride: usize,
  rows: i32,
  position: i32,
  posStep: i32,
  table: usize,
  pages: usize,
  kOffset: usize,
  vOffset: usize,
  dim: i32,
  scale: f32,
  out: usize,
  lse: usize,
  lseStride: usize,
): void {
  let longest = position + (rows - 1) * posStep + 1;
  let lds = <usize>((longest + 31) & ~31) * 4;
  let panel = <usize>dim * 32;
  let scores = scratch + TOTALS;
  for (let j = 0; j < longest; j += 32) {
    let k = pages + load<usize>(table + (<usize>(j >> 5) << 2)) + kOffset;
    let s = scores + <usize>j * 4;
    if (rows == 4) {
      let count = min(4, (longest - j + 7) >> 3);
      for (let p: usize = 0; p < <usize>count; p++) {
        tile4(q, stride, k + p * panel, 32, dim, s + p * 32, lds, 0, 0, scale);
      }
    } else {
      for (let r: usize = 0; r < <usize>rows; r++) tile1x4(q + r * stride, k, panel, dim, s + r * lds, 0, scale);
    }
  }
  for (let r: usize = 0; r < <usize>rows; r++) {
    let top = softmax(scores + r * lds, position + <i32>r * posStep + 1, (longest + 3) & ~3);
    store<f32>(scratch + r * 4, <f32>1 / total);
    if (lse != 0) store<f32>(lse + r * lseStride, top + <f32>log1(<f64>total));
  }
  for (let j = 0; j < longest; j += 32) {
    let v = pages + load<usize>(table + (<usize>(j >> 5) << 2)) + vOffset;
    let s = scores + <usize>j * 4;
    let count = min(32, longest - j);
    if (rows == 4) {
      for (let d: usize = 0; d < <usize>dim; d += 8) {
        let c = out + d * 4;
        tile4(s, lds, v + d * 128, 32, count, c, stride, j > 0 ? c : 0, stride, 1);
      }
    } else {
      for (let r: usize = 0; r < <usize>rows; r++) {
        let p = s + r * lds;
        let c = out + r * stride;
        let d: usize = 0;
        for (; d + 32 <= <usize>dim; d += 32) {
          tile1x4(p, v + d * 128, 1024, count, c + d * 4, j > 0 ? c + d * 4 : 0, 1);
        }
        for (; d < <usize>dim; d += 8) tile1(p, v + d * 128, 32, count, c + d * 4, j > 0 ? c + d * 4 : 0, 1);
      }
    }
  }
  for (let r: usize = 0; r < <usize>rows; r++) {
    let inverse = v128.load32_splat(scratch + r * 4);
    let o = out + r * stride;
    for (let d: usize = 0; d < <usize>dim * 4; d += 16) v128.store(o + d, f32x4.mul(v128.load(o + d), inverse));
  }
}

export function attention(op: usize, thread: i32, threads: i32): void {
  let out = load<usize>(op, 4);
  let lse = load<usize>(op, 8);
  let q = load<usize>(op, 12);
  let pages = load<usize>(op, 16);
  let tables = load<usize>(op, 20);
  let units = load<usize>(op, 24);
  let count = load<i32>(op, 28);
  let heads = load<i32>(op, 32);
  let kvHeads = load<i32>(op, 36);
  let dim = load<i32>(op, 40);
  let ld = load<usize>(op, 44) * 4;
  let scale = load<f32>(op, 48);
  let group = heads / kvHeads;
  let block = <usize>dim * 128;
  let headBytes = <usize>dim * 4;
  for (let item = nextItem(threads); item < count * kvHeads; item = nextItem(threads)) {
    let unit = units + <usize>(item / kvHeads) * 16;
    let kvHead = item % kvHeads;
    let row = load<usize>(unit);
    let queries = load<i32>(unit, 4);
    let position = load<i32>(unit, 8);
    let table = tables + load<usize>(unit, 12) * 4;
    let kOffset = <usize>kvHead * block;
    let vOffset = <usize>(kvHeads + kvHead) * block;
    let first = <usize>(kvHead * group);
    if (queries == 1) {
      for (let g = 0; g < group; g += 4) {
        let at = row * ld + (first + <usize>g) * headBytes;
        let l = lse != 0 ? lse + (row * <usize>heads + first + <usize>g) * 4 : 0;
        let n = min(4, group - g);
        attendRows(
          q + at, headBytes, n, position, 0, table, pages, kOffset, vOffset, dim, scale, out + at, l, 4,
        );
      }
      continue;
    }
    for (let h = first; h < first + <usize>group; h++) {
      for (let i = 0; i < queries; i += 4) {
        let r = row + <usize>i;
        let at = r * ld + h * headBytes;
        let l = lse != 0 ? lse + (r * <usize>heads + h) * 4 : 0;
        attendRows(
          q + at, ld, min(4, queries - i), position + i, 1, table, pages, kOffset, vOffset, dim, scale, out + at, l,
          <usize>heads * 4,
        );
      }
    }
  }
}
