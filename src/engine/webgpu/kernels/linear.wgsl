// out[M,N] = alpha (init + x[M,K] W[N,K]^T) + t[M,R] B[N,R]^T, init = 0, a bias or a residual. The second product is the
// LoRA pair's (t = scale x A^T comes from a linear of its own). Tiled; linear-few.wgsl is the same sum for few rows.

fn left_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i >> 4u, i & 15u);
}
/** A panel's words lie [d][8]: 8 columns, 16 steps, then the next panel. */
fn right_place(i: u32) -> vec2<u32> {
  return vec2<u32>((i >> 7u) * 8u + (i & 7u), (i >> 3u) & 15u);
}

fn left(product: u32, row: u32, d: u32) -> f32 {
  if (row >= p.rows) {
    return 0.0;
  }
  if (product == 0u) {
    return select(0.0, get_x(row * p.ldx + d), d < p.k);
  }
  return select(0.0, get_t(row * p.ldt + d), d < p.rank);
}

fn right(product: u32, d: u32, column: u32) -> f32 {
  if (column >= p.n) {
    return 0.0;
  }
  if (product == 0u) {
    if (d >= p.k) {
      return 0.0;
    }
    return weight(column, d);
  }
  return select(0.0, get_b(((column >> 3u) * p.rank + d) * 8u + (column & 7u)), d < p.rank);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let tile = tile_of(block_of(group), p.n);
  if (tile.x >= p.rows) {
    return;
  }
  let row = tile.x + (lane >> 4u) * PER_THREAD;
  let column = tile.y + (lane & 15u) * 4u;
  var sums: Sums;
  if (has_init && column < p.n) {
    for (var j = 0u; j < PER_THREAD && row + j < p.rows; j = j + 1u) {
      let i = (row + j) * p.ldi + column;
      sums[j] = vec4<f32>(get_init(i), get_init(i + 1u), get_init(i + 2u), get_init(i + 3u));
    }
  }
  for (var product = 0u; product < select(1u, 2u, has_t); product = product + 1u) {
    if (product == 1u) {
      scale_sums(&sums, p.alpha);
    }
    add_product(&sums, product, lane, tile.x, tile.y, select(p.k, p.rank, product == 1u));
  }
  if (!has_t) {
    scale_sums(&sums, p.alpha);
  }
  if (column >= p.n) {
    return;
  }
  for (var j = 0u; j < PER_THREAD && row + j < p.rows; j = j + 1u) {
    let i = (row + j) * p.ldo + column;
    for (var c = 0u; c < 4u; c = c + 1u) {
      set_out(i + c, sums[j][c]);
    }
  }
}
