// scale = limit / (norm + 1e-6) where a limit > 0 is exceeded, else 1; NaN where the norm or a log-probability is not
// finite, so that adamw.wgsl does nothing. partials: square-sum.wgsl's. One workgroup.

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  var sum = 0.0;
  var bad = 0.0;
  for (var c = lane; c < p.count; c = c + WIDTH) {
    let low = word_partials(c * 2u);
    let high = word_partials(c * 2u + 1u);
    let exponent = high >> 20u;
    if (exponent == 0x7ffu) {
      bad = 1.0;
    } else if (exponent > 0u) {
      sum = sum + bitcast<f32>(((exponent - 896u) << 23u) | ((high & 0xfffffu) << 3u) | (low >> 29u));
    }
  }
  for (var r = lane; r < p.rows; r = r + WIDTH) {
    if (not_finite(word_logps(r))) {
      bad = 1.0;
    }
  }
  let norm = sqrt(sum_all(lane, sum));
  let broken = sum_all(lane, bad) > 0.0 || not_finite(bitcast<u32>(norm));
  if (lane == 0u) {
    if (broken) {
      put_scale(0u, NAN_BITS);
    } else if (p.limit > 0.0 && norm > p.limit) {
      set_scale(0u, p.limit / (norm + 1e-6));
    } else {
      set_scale(0u, 1.0);
    }
  }
}
