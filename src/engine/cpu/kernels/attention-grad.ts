// Backward of attention, per sequence and kv head, in 32 x 32 tiles (keys outer, then heads, then queries):
//   P = exp(scale q k - lse), dP = dO v, D = dO . O, dS = scale P (dP - D)
//   dQ += dS K, dV += P^T dO, dK += dS^T Q. A sequence is [first row, length, start in the page table].
import { exp4, sum4 } from './math';
import { nextItem, scratch } from './sync';
import { turn8 } from './linear-grad';
import { tile1, tile1x4, tile4, tile4t } from './tile';

/** rows x 32 products of a's rows with four panels. */
function products(a: usize, lda: usize, b: usize, dim: i32, rows: i32, c: usize): void {
  let panel = <usize>dim * 32;
  let r = 0;
  for (; r + 4 <= rows; r += 4) {
    let at = <usize>r;
    for (let p: usize = 0; p < 4; p++) tile4(a + at * lda, lda, b + p * panel, 32, dim, c + at * 128 + p * 32, 128, 0, 0, 1);
  }
  for (; r < rows; r++) tile1x4(a + <usize>r * lda, b, panel, dim, c + <usize>r * 128, 0, 1);
}

export function attentionGrad(op: usize, thread: i32, threads: i32): void {
  let dq = load<usize>(op, 4);
  let dk = load<usize>(op, 8);
  let dv = load<usize>(op, 12);
  let dOut = load<usize>(op, 16);
  let out = load<usize>(op, 20);
  let q = load<usize>(op, 24);
  let k = load<usize>(op, 28);
  let lse = load<usize>(op, 32);
  let pages = load<usize>(op, 36);
  let tables = load<usize>(op, 40);
  let sequences = load<usize>(op, 44);
  let count = load<i32>(op, 48);
  let heads = load<i32>(op, 52);
  let kvHeads = load<i32>(op, 56);
  let dim = load<i32>(op, 60);
  let ldq = load<usize>(op, 64) * 4;
  let ldk = load<usize>(op, 68) * 4;
  let scale = load<f32>(op, 76); // 72: rows, which others hand out work by

  let group = heads / kvHeads;
  let block = <usize>dim * 128;
  let bytes = <usize>dim * 4;
  let P = scratch;
  let dS = scratch + 4096;
  let turned = scratch + 8192;
  let accK = turned + block;
  let accV = accK + block;
  let delta = accV + block;

  for (let item = nextItem(threads); item < count * kvHeads; item = nextItem(threads)) {
    let sequence = sequences + <usize>(item / kvHeads) * 12;
    let kvHead = <usize>(item % kvHeads);
    let row = load<usize>(sequence);
    let length = load<i32>(sequence, 4);
    let table = tables + load<usize>(sequence, 8) * 4;
    let first = kvHead * <usize>group;
    let kRow = k + row * ldk + kvHead * bytes;

    for (let g: usize = 0; g < <usize>group; g++) {
      for (let i: usize = 0; i < <usize>length; i++) {
        let at = (row + i) * ldq + (first + g) * bytes;
        let sum = f32x4.splat(0);
        for (let d: usize = 0; d < bytes; d += 16) {
          sum = f32x4.add(sum, f32x4.mul(v128.load(out + at + d), v128.load(dOut + at + d)));
        }
        store<f32>(delta + (g * <usize>length + i) * 4, sum4(sum));
      }
    }

    for (let j0 = 0; j0 < length; j0 += 32) {
      let keys = min(32, length - j0);
      let page = pages + load<usize>(table + (<usize>(j0 >> 5) << 2));
      let kPanels = page + kvHead * block;
      let vPanels = page + (<usize>kvHeads + kvHead) * block;
      // V [dim/8][32][8] -> [4][dim][8]
      for (let d: usize = 0; d < <usize>dim; d += 8) {
        for (let p: usize = 0; p < 4; p++) turn8(vPanels + d * 128 + p * 256, turned + p * <usize>dim * 32 + d * 32);
      }
      memory.fill(accK, 0, 2 * block);
      for (let g: usize = 0; g < <usize>group; g++) {
        for (let i0 = j0; i0 < length; i0 += 32) {
          let queries = min(32, length - i0);
          let at = (row + <usize>i0) * ldq + (first + g) * bytes;
          products(q + at, ldq, kPanels, dim, queries, P);
          products(dOut + at, ldq, turned, dim, queries, dS);
          for (let i = 0; i < queries; i++) {
            let l = load<f32>(lse + ((row + <usize>(i0 + i)) * <usize>heads + first + g) * 4);
            let D = load<f32>(delta + (g * <usize>length + <usize>(i0 + i)) * 4);
            let visible = min(keys, i0 + i - j0 + 1);
            let p = P + <usize>i * 128;
            let s = dS + <usize>i * 128;
            for (let j = visible; j < 32; j++) {
              store<f32>(p + (<usize>j << 2), -Infinity);
              store<f32>(s + (<usize>j << 2), 0);
            }
            for (let j: usize = 0; j < 128; j += 16) {
              let e = exp4(f32x4.sub(f32x4.mul(v128.load(p + j), f32x4.splat(scale)), f32x4.splat(l)));
              v128.store(p + j, e);
              let d = f32x4.sub(v128.load(s + j), f32x4.splat(D));
              v128.store(s + j, f32x4.mul(f32x4.mul(e, d), f32x4.splat(scale)));
            }
          }
          for (let d: usize = 0; d < <usize>dim; d += 8) {
            let c = dq + at + d * 4;
            let b = kRow + <usize>j0 * ldk + d * 4;
            let i = 0;
            for (; i + 4 <= queries; i += 4) {
              tile4(dS + <usize>i * 128, 128, b, ldk, keys, c, ldq, j0 > 0 ? c : 0, ldq, 1);
              c += 4 * ldq;
            }
            for (; i < queries; i++) {
              tile1(dS + <usize>i * 128, b, ldk, keys, c, j0 > 0 ? c : 0, 1);
              c += ldq;
            }
            for (let j: usize = 0; j < 32; j += 4) {
              let v = accV + j * bytes + d * 4;
              tile4t(P + j * 4, 128, dOut + at + d * 4, ldq, queries, v, bytes, v, bytes);
              let w = accK + j * bytes + d * 4;
              tile4t(dS + j * 4, 128, q + at + d * 4, ldq, queries, w, bytes, w, bytes);
            }
          }
        }
      }
      for (let j: usize = 0; j < <usize>keys; j++) {
        let at = (row + <usize>j0 + j) * ldk + kvHead * bytes;
        memory.copy(dk + at, accK + j * bytes, bytes);
        memory.copy(dv + at, accV + j * bytes, bytes);
      }
    }
  }
}
