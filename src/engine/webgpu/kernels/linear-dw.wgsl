// Backward of a linear layer to its weight: dW[N,K] (+)= dy[M,N]^T x[M,K], in panel order like W itself. Tiled; the sum
// runs over rows m = 0 … M, beginning with what is there when adding. Also lora_A's gradient (dt^T x) and lora_B's
// (dy^T t).

fn left_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i % TILE_ROWS, i / TILE_ROWS);
}
fn right_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i & 63u, i >> 6u);
}

fn left(product: u32, n: u32, m: u32) -> f32 {
  if (n >= p.n || m >= p.rows) {
    return 0.0;
  }
  return get_dy(m * p.ldy + n);
}

fn right(product: u32, m: u32, k: u32) -> f32 {
  if (k >= p.k || m >= p.rows) {
    return 0.0;
  }
  return get_x(m * p.ldx + k);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let tile = tile_of(block_of(group), p.k);
  if (tile.x >= p.n) {
    return;
  }
  let n = tile.x + (lane >> 4u) * PER_THREAD;
  let k = tile.y + (lane & 15u) * 4u;
  var sums: Sums;
  if (p.add != 0u && k < p.k) {
    for (var j = 0u; j < PER_THREAD && n + j < p.n; j = j + 1u) {
      let i = (((n + j) >> 3u) * p.k + k) * 8u + ((n + j) & 7u);
      sums[j] = vec4<f32>(get_dw(i), get_dw(i + 8u), get_dw(i + 16u), get_dw(i + 24u));
    }
  }
  add_product(&sums, 0u, lane, tile.x, tile.y, p.rows);
  if (k >= p.k) {
    return;
  }
  for (var j = 0u; j < PER_THREAD && n + j < p.n; j = j + 1u) {
    let i = (((n + j) >> 3u) * p.k + k) * 8u + ((n + j) & 7u);
    for (var c = 0u; c < 4u; c = c + 1u) {
      set_dw(i + c * 8u, sums[j][c]);
    }
  }
}
