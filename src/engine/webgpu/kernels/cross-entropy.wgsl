// Each row: lse = log sum_v exp(z_v), logp = z_target - lse; with coefficients c (= w / normalizer) the logits become
// their gradient, c (softmax - onehot), padding columns 0. A logit that is not finite (by its bits, before any maximum)
// makes both NaN. One workgroup a row.

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let r = block_of(group);
  if (r >= p.rows) {
    return;
  }
  let z = r * p.ld;
  var bad = 0.0;
  var top = LOWEST;
  for (var i = lane; i < p.vocab; i = i + WIDTH) {
    if (not_finite(word_logits(z + i))) {
      bad = 1.0;
    }
    top = max(top, get_logits(z + i));
  }
  if (sum_all(lane, bad) > 0.0) {
    if (lane == 0u) {
      put_lses(r, NAN_BITS);
      put_logps(r, NAN_BITS);
    }
    return;
  }
  top = max_all(lane, top);
  let wanted = u32(max(0, bitcast<i32>(word_targets(r))));
  let chosen = get_logits(z + wanted);
  var sum = 0.0;
  for (var i = lane; i < p.vocab; i = i + WIDTH) {
    sum = sum + exp_(get_logits(z + i) - top);
  }
  let total = sum_all(lane, sum);
  if (lane == 0u) {
    let log_total = log_(total);
    set_lses(r, top + log_total);
    set_logps(r, (chosen - top) - log_total);
  }
  if (has_coefficients) {
    let c = get_coefficients(r);
    let scale = c / total;
    for (var i = lane; i < p.ld; i = i + WIDTH) {
      var d = 0.0;
      if (i < p.vocab) {
        d = exp_(get_logits(z + i) - top) * scale;
      }
      if (i == wanted) {
        d = d - c;
      }
      set_logits(z + i, d);
    }
  }
}
