// dw += sum over rows of dy x r (a norm's weight; r kept from the forward pass), or of dy alone (a bias). One invocation
// a column, rows in order.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 64u + lane;
  if (i >= p.ld) {
    return;
  }
  var sum = get_dw(i);
  for (var r = 0u; r < p.rows; r = r + 1u) {
    var d = get_dy(r * p.ld + i);
    if (has_x) {
      d = d * get_x(r * p.ld + i) * get_keep(r);
    }
    sum = sum + d;
  }
  set_dw(i, sum);
}
