// Register tiles: the only places where products are summed. Sum over k is sequential from k = 0 for every output,
// so all shapes give the same bits: C = alpha * (init + sum_k A[.,k] B[k,.]).
// Addresses and strides are in bytes. Not unrolled: measured, V8 then keeps all sums in registers. Knows nothing of layers, threads or weight types.

/** c + x * b: product rounded, then sum rounded; in the fused build (relaxed SIMD) rounded once where the processor can. */
// @ts-ignore: decorator
@inline
export function madd(x: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(x, b, c);
  return f32x4.add(c, f32x4.mul(x, b));
}

/** 4 rows x 8 columns. A is row-major (k contiguous, rows lda apart), B holds 8 floats per k, ldb apart. */
export function tile4(
  a: usize,
  lda: usize,
  b: usize,
  ldb: usize,
  k: i32,
  c: usize,
  ldc: usize,
  init: usize,
  ldi: usize,
  alpha: f32,
): void {
  let c0a = f32x4.splat(0);
  let c0b = f32x4.splat(0);
  let c1a = f32x4.splat(0);
  let c1b = f32x4.splat(0);
  let c2a = f32x4.splat(0);
  let c2b = f32x4.splat(0);
  let c3a = f32x4.splat(0);
  let c3b = f32x4.splat(0);
  if (init != 0) {
    c0a = v128.load(init);
    c0b = v128.load(init, 16);
    init += ldi;
    c1a = v128.load(init);
    c1b = v128.load(init, 16);
    init += ldi;
    c2a = v128.load(init);
    c2b = v128.load(init, 16);
    init += ldi;
    c3a = v128.load(init);
    c3b = v128.load(init, 16);
  }
  let a1 = a + lda;
  let a2 = a1 + lda;
  let a3 = a2 + lda;
  let b0: v128, b1: v128, x: v128;
  for (; k != 0; k--) {
    b0 = v128.load(b);
    b1 = v128.load(b, 16);
    b += ldb;
    x = v128.load32_splat(a);
    c0a = madd(x, b0, c0a);
    c0b = madd(x, b1, c0b);
    x = v128.load32_splat(a1);
    c1a = madd(x, b0, c1a);
    c1b = madd(x, b1, c1b);
    x = v128.load32_splat(a2);
    c2a = madd(x, b0, c2a);
    c2b = madd(x, b1, c2b);
    x = v128.load32_splat(a3);
    c3a = madd(x, b0, c3a);
    c3b = madd(x, b1, c3b);
    a += 4;
    a1 += 4;
    a2 += 4;
    a3 += 4;
  }
  let scale = f32x4.splat(alpha);
  v128.store(c, f32x4.mul(c0a, scale));
  v128.store(c, f32x4.mul(c0b, scale), 16);
  c += ldc;
  v128.store(c, f32x4.mul(c1a, scale));
  v128.store(c, f32x4.mul(c1b, scale), 16);
  c += ldc;
  v128.store(c, f32x4.mul(c2a, scale));
  v128.store(c, f32x4.mul(c2b, scale), 16);
  c += ldc;
  v128.store(c, f32x4.mul(c3a, scale));
  v128.store(c, f32x4.mul(c3b, scale), 16);
}

/** As tile4 with A column-major: row r of step k is at a + k * lda + 4 * r. */
export function tile4t(
  a: usize,
  lda: usize,
  b: usize,
  ldb: usize,
  k: i32,
  c: usize,
  ldc: usize,
  init: usize,
  ldi: usize,
): void {
  let c0a = f32x4.splat(0);
  let c0b = f32x4.splat(0);
  let c1a = f32x4.splat(0);
  let c1b = f32x4.splat(0);
  let c2a = f32x4.splat(0);
  let c2b = f32x4.splat(0);
  let c3a = f32x4.splat(0);
  let c3b = f32x4.splat(0);
  if (init != 0) {
    c0a = v128.load(init);
    c0b = v128.load(init, 16);
    init += ldi;
    c1a = v128.load(init);
    c1b = v128.load(init, 16);
    init += ldi;
    c2a = v128.load(init);
    c2b = v128.load(init, 16);
    init += ldi;
    c3a = v128.load(init);
    c3b = v128.load(init, 16);
  }
  let b0: v128, b1: v128, x: v128;
  for (; k != 0; k--) {
    b0 = v128.load(b);
    b1 = v128.load(b, 16);
    x = v128.load32_splat(a);
    c0a = madd(x, b0, c0a);
    c0b = madd(x, b1, c0b);
    x = v128.load32_splat(a, 4);
    c1a = madd(x, b0, c1a);
    c1b = madd(x, b1, c1b);
    x = v128.load32_splat(a, 8);
    c2a = madd(x, b0, c2a);
    c2b = madd(x, b1, c2b);
    x = v128.load32_splat(a, 12);
    c3a = madd(x, b0, c3a);
    c3b = madd(x, b1, c3b);
    a += lda;
    b += ldb;
  }
  v128.store(c, c0a);
  v128.store(c, c0b, 16);
  c += ldc;
  v128.store(c, c1a);
  v128.store(c, c1b, 16);
  c += ldc;
  v128.store(c, c2a);
  v128.store(c, c2b, 16);
  c += ldc;
  v128.store(c, c3a);
  v128.store(c, c3b, 16);
}

/** 1 row x 8 columns. */
export function tile1(
  a: usize,
  b: usize,
  ldb: usize,
  k: i32,
  c: usize,
  init: usize,
  alpha: f32,
): void {
  let c0a = f32x4.splat(0);
  let c0b = f32x4.splat(0);
  if (init != 0) {
    c0a = v128.load(init);
    c0b = v128.load(init, 16);
  }
  let x: v128;
  for (; k != 0; k--) {
    x = v128.load32_splat(a);
    a += 4;
    c0a = madd(x, v128.load(b), c0a);
    c0b = madd(x, v128.load(b, 16), c0b);
    b += ldb;
  }
  let scale = f32x4.splat(alpha);
  v128.store(c, f32x4.mul(c0a, scale));
  v128.store(c, f32x4.mul(c0b, scale), 16);
}

/** 1 row x 32 columns: 4 panels, ldp apart, hide the latency of one sum behind the others. C is contiguous. */
export function tile1x4(
  a: usize,
  b: usize,
  ldp: usize,
  k: i32,
  c: usize,
  init: usize,
  alpha: f32,
): void {
  let c0a = f32x4.splat(0);
  let c0b = f32x4.splat(0);
  let c1a = f32x4.splat(0);
  let c1b = f32x4.splat(0);
  let c2a = f32x4.splat(0);
  let c2b = f32x4.splat(0);
  let c3a = f32x4.splat(0);
  let c3b = f32x4.splat(0);
  if (init != 0) {
    c0a = v128.load(init);
    c0b = v128.load(init, 16);
    c1a = v128.load(init, 32);
    c1b = v128.load(init, 48);
    c2a = v128.load(init, 64);
    c2b = v128.load(init, 80);
    c3a = v128.load(init, 96);
    c3b = v128.load(init, 112);
  }
  let x: v128;
  let b1 = b + ldp;
  let b2 = b1 + ldp;
  let b3 = b2 + ldp;
  for (; k != 0; k--) {
    x = v128.load32_splat(a);
    a += 4;
    c0a = madd(x, v128.load(b), c0a);
    c0b = madd(x, v128.load(b, 16), c0b);
    c1a = madd(x, v128.load(b1), c1a);
    c1b = madd(x, v128.load(b1, 16), c1b);
    c2a = madd(x, v128.load(b2), c2a);
    c2b = madd(x, v128.load(b2, 16), c2b);
    c3a = madd(x, v128.load(b3), c3a);
    c3b = madd(x, v128.load(b3, 16), c3b);
    b += 32;
    b1 += 32;
    b2 += 32;
    b3 += 32;
  }
  let scale = f32x4.splat(alpha);
  v128.store(c, f32x4.mul(c0a, scale));
  v128.store(c, f32x4.mul(c0b, scale), 16);
  v128.store(c, f32x4.mul(c1a, scale), 32);
  v128.store(c, f32x4.mul(c1b, scale), 48);
  v128.store(c, f32x4.mul(c2a, scale), 64);
  v128.store(c, f32x4.mul(c2b, scale), 80);
  v128.store(c, f32x4.mul(c3a, scale), 96);
  v128.store(c, f32x4.mul(c3b, scale), 112);
}
