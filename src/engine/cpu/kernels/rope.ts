// Rotary positions in Hugging Face's order: (a, b) = halves of a head; a' = a cos - b sin, b' = b cos + a sin.
// The gradient turns the other way (direction -1). Table: [position][cos of half | sin of half].
// storeKv writes turned keys and values into their pages: K as [kv head][4 panels of 8 keys][dim][8] so that q k is a
// panel product, V as [kv head][dim / 8][32 keys][8] so that p v is one.

export function rope(op: usize, thread: i32, threads: i32): void {
  let x = load<usize>(op, 4);
  let positions = load<usize>(op, 8);
  let table = load<usize>(op, 12);
  let rows = load<i32>(op, 16);
  let heads = load<i32>(op, 20);
  let bytes = load<usize>(op, 24) * 4; // of a head
  let ld = load<usize>(op, 28) * 4;
  let direction = f32x4.splat(load<f32>(op, 32));
  let half = bytes >> 1;
  let end = (rows * (thread + 1)) / threads;
  for (let r = (rows * thread) / threads; r < end; r++) {
    let cos = table + load<usize>(positions + (<usize>r << 2)) * bytes;
    let sin = cos + half;
    let head = x + <usize>r * ld;
    for (let h = 0; h < heads; h++) {
      for (let i: usize = 0; i < half; i += 16) {
        let a = v128.load(head + i);
        let b = v128.load(head + half + i);
        let c = v128.load(cos + i);
        let s = f32x4.mul(v128.load(sin + i), direction);
        v128.store(head + i, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
        v128.store(head + half + i, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
      }
      head += bytes;
    }
  }
}

export function storeKv(op: usize, thread: i32, threads: i32): void {
  let pages = load<usize>(op, 4);
  let k = load<usize>(op, 8);
  let v = load<usize>(op, 12);
  let positions = load<usize>(op, 16);
  let page = load<usize>(op, 20);
  let rows = load<i32>(op, 24);
  let heads = load<i32>(op, 28);
  let dim = load<usize>(op, 32);
  let ld = load<usize>(op, 36) * 4;
  let block = dim * 128; // 32 keys of one head
  let end = (rows * (thread + 1)) / threads;
  for (let r = (rows * thread) / threads; r < end; r++) {
    let slot = load<usize>(positions + (<usize>r << 2)) & 31;
    let base = pages + load<usize>(page + (<usize>r << 2));
    let src = k + <usize>r * ld;
    let dst = base + (slot >> 3) * dim * 32 + (slot & 7) * 4;
    for (let h = 0; h < heads; h++) {
      for (let d: usize = 0; d < dim; d++) store<f32>(dst + d * 32, load<f32>(src + d * 4));
      src += dim * 4;
      dst += block;
    }
    src = v + <usize>r * ld;
    dst = base + <usize>heads * block + slot * 32;
    for (let h = 0; h < heads; h++) {
      for (let d: usize = 0; d < dim; d += 8) {
        v128.store(dst + d * 128, v128.load(src + d * 4));
        v128.store(dst + d * 128, v128.load(src + d * 4, 16), 16);
      }
      src += dim * 4;
      dst += block;
    }
  }
}
