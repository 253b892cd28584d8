// y = x r w, r = 1 / sqrt(mean(x^2) + eps); r is kept for the gradient. One workgroup a row; `width` is the true width,
// `ld` the padded one (padding of x and w is 0, so that of y is too).

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let r = block_of(group);
  if (r >= p.rows) {
    return;
  }
  var sum = 0.0;
  for (var i = lane; i < p.ld; i = i + WIDTH) {
    let v = get_x(r * p.ld + i);
    sum = sum + v * v;
  }
  let scale = 1.0 / sqrt(sum_all(lane, sum) / f32(p.width) + p.eps);
  if (lane == 0u) {
    set_keep(r, scale);
  }
  for (var i = lane; i < p.ld; i = i + WIDTH) {
    set_out(r * p.ld + i, get_x(r * p.ld + i) * scale * get_w(i));
  }
}
