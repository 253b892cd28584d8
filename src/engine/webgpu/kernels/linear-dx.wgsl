// Backward of a linear layer to its input: dx[M,K] = alpha ((dx or 0) + dy[M,N] W[N,K]) + dt[M,R] A[R,K]. Tiled.

fn left_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i >> 4u, i & 15u);
}
/** A panel's words lie [k][8 of n]: 8 steps, 64 columns, then the next 8 steps. */
fn right_place(i: u32) -> vec2<u32> {
  return vec2<u32>((i >> 3u) & 63u, (i >> 9u) * 8u + (i & 7u));
}

fn left(product: u32, row: u32, d: u32) -> f32 {
  if (row >= p.rows) {
    return 0.0;
  }
  if (product == 0u) {
    return select(0.0, get_dy(row * p.ldy + d), d < p.n);
  }
  return select(0.0, get_dt(row * p.ldt + d), d < p.rank);
}

fn right(product: u32, d: u32, column: u32) -> f32 {
  if (column >= p.k) {
    return 0.0;
  }
  if (product == 0u) {
    if (d >= p.n) {
      return 0.0;
    }
    return weight(d, column);
  }
  return select(0.0, get_a(((d >> 3u) * p.k + column) * 8u + (d & 7u)), d < p.rank);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let tile = tile_of(block_of(group), p.k);
  if (tile.x >= p.rows) {
    return;
  }
  let row = tile.x + (lane >> 4u) * PER_THREAD;
  let column = tile.y + (lane & 15u) * 4u;
  var sums: Sums;
  if (p.add != 0u && column < p.k) {
    for (var j = 0u; j < PER_THREAD && row + j < p.rows; j = j + 1u) {
      let i = (row + j) * p.ldo + column;
      sums[j] = vec4<f32>(get_out(i), get_out(i + 1u), get_out(i + 2u), get_out(i + 3u));
    }
  }
  for (var product = 0u; product < select(1u, 2u, has_dt); product = product + 1u) {
    if (product == 1u) {
      scale_sums(&sums, p.alpha);
    }
    add_product(&sums, product, lane, tile.x, tile.y, select(p.n, p.rank, product == 1u));
  }
  if (!has_dt) {
    scale_sums(&sums, p.alpha);
  }
  if (column >= p.k) {
    return;
  }
  for (var j = 0u; j < PER_THREAD && row + j < p.rows; j = j + 1u) {
    let i = (row + j) * p.ldo + column;
    for (var c = 0u; c < 4u; c = c + 1u) {
      set_out(i + c, sums[j][c]);
    }
  }
}
