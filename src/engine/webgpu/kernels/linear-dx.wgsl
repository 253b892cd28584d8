// Backward of a linear layer to its input: dx[M,K] = alpha ((dx or 0) + dy[M,N] W[N,K]) + dt[M,R] A[R,K]. Tiled.

const PRODUCTS = select(1u, 2u, has_dt);

fn shape() -> vec2<u32> {
  return vec2<u32>(p.rows, p.k);
}
fn depth(product: u32) -> u32 {
  return select(p.n, p.rank, product == 1u);
}

/** A panel's words lie [k][8 of n]: 8 steps, all columns, then the next 8 steps. */
fn right_place(i: u32) -> vec2<u32> {
  return vec2<u32>((i >> 3u) & 7u, (i >> 6u) * 8u + (i & 7u));
}

fn left(product: u32, row: u32, d: u32) -> f32 {
  if (product == 0u) {
    return get_dy(row * p.ldy + d);
  }
  return get_dt(row * p.ldt + d);
}

fn right(product: u32, d: u32, column: u32) -> vec4<f32> {
  if (product == 0u) {
    return four_along_k(d, column);
  }
  let i = ((d >> 3u) * p.k + column) * 8u + (d & 7u);
  return vec4<f32>(get_a(i), get_a(i + 8u), get_a(i + 16u), get_a(i + 24u));
}

fn left_rows(product: u32, row: u32, last: u32) -> Rows {
  if (product == 0u) {
    return eight_rows(row * p.ldy, p.ldy, last);
  }
  return eight_rows(row * p.ldt, p.ldt, last);
}
fn left_eight(product: u32, rows: Rows, d: u32) -> Eight {
  if (product == 0u) {
    return eight_dy(moved(rows, d));
  }
  return eight_dt(moved(rows, d));
}
fn right_eight(product: u32, d: u32, column: u32) -> Eight {
  let panel = ((d >> 3u) * p.k + column) * 8u + (d & 7u);
  if (product == 1u) {
    return eight_a(eight_rows(panel, 8u, 7u));
  }
  if (DTYPE == 0u) {
    return eight_w(eight_rows(panel, 8u, 7u));
  }
  return Eight(right(0u, d, column), right(0u, d, column + 4u));
}

fn begin(row: u32, column: u32) -> vec4<f32> {
  if (p.add == 0u) {
    return vec4<f32>();
  }
  let i = row * p.ldo + column;
  return vec4<f32>(get_out(i), get_out(i + 1u), get_out(i + 2u), get_out(i + 3u));
}
