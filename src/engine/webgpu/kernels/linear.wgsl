// out[M,N] = alpha (init + x[M,K] W[N,K]^T) + t[M,R] B[N,R]^T, init = 0, a bias or a residual. The second product is the
// LoRA pair's (t = scale x A^T comes from a linear of its own). Tiled; linear-few.wgsl is the same sum for few rows.

const PRODUCTS = select(1u, 2u, has_t);

fn shape() -> vec2<u32> {
  return vec2<u32>(p.rows, p.n);
}
fn depth(product: u32) -> u32 {
  return select(p.k, p.rank, product == 1u);
}

/** A panel's words lie [d][8]: twice 4 columns, 32 steps, then the next panel. */
fn right_place(i: u32) -> vec2<u32> {
  return vec2<u32>((i >> 6u) * 2u + (i & 1u), (i >> 1u) & 31u);
}

fn left(product: u32, row: u32, d: u32) -> f32 {
  if (product == 0u) {
    return get_x(row * p.ldx + d);
  }
  return get_t(row * p.ldt + d);
}

fn right(product: u32, d: u32, column: u32) -> vec4<f32> {
  if (product == 0u) {
    return four_along_n(column, d);
  }
  let i = ((column >> 3u) * p.rank + d) * 8u + (column & 7u);
  return vec4<f32>(get_b(i), get_b(i + 1u), get_b(i + 2u), get_b(i + 3u));
}

fn left_rows(product: u32, row: u32, last: u32) -> Rows {
  if (product == 0u) {
    return eight_rows(row * p.ldx, p.ldx, last);
  }
  return eight_rows(row * p.ldt, p.ldt, last);
}
fn left_eight(product: u32, rows: Rows, d: u32) -> Eight {
  if (product == 0u) {
    return eight_x(moved(rows, d));
  }
  return eight_t(moved(rows, d));
}
fn right_eight(product: u32, d: u32, column: u32) -> Eight {
  if (product == 1u) {
    return eight_b(eight_rows((column * p.rank + d * 8u), 1u, 7u));
  }
  if (DTYPE == 0u) {
    return eight_w(eight_rows((column * p.k + d * 8u), 1u, 7u));
  }
  return Eight(right(0u, d, column), right(0u, d, column + 4u));
}

fn begin(row: u32, column: u32) -> vec4<f32> {
  if (!has_init) {
    return vec4<f32>();
  }
  let i = row * p.ldi + column;
  return vec4<f32>(get_init(i), get_init(i + 1u), get_init(i + 2u), get_init(i + 3u));
}
