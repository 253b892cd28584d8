// linear.wgsl's sum for few rows (decode): one invocation an output, no barrier, weights read once a row and straight
// from their panels. out = alpha (init + x W^T) + t B^T.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 64u + lane;
  if (i >= p.rows * p.n) {
    return;
  }
  let row = i / p.n;
  let column = i % p.n;
  var sum = 0.0;
  if (has_init) {
    sum = get_init(row * p.ldi + column);
  }
  for (var d = 0u; d < p.k; d = d + 1u) {
    sum = sum + get_x(row * p.ldx + d) * weight(column, d);
  }
  sum = sum * p.alpha;
  if (has_t) {
    let panel = (column >> 3u) * p.rank * 8u + (column & 7u);
    for (var d = 0u; d < p.rank; d = d + 1u) {
      sum = sum + get_t(row * p.ldt + d) * get_b(panel + d * 8u);
    }
  }
  set_out(row * p.ldo + column, sum);
}
