// Backward of y = x r w: dx (+)= r (dy w - x r^2 mean(dy w x)), r kept from the forward pass. One workgroup a row.

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = block_of(group);
  if (row >= p.rows) {
    return;
  }
  var sum = 0.0;
  for (var i = lane; i < p.ld; i = i + WIDTH) {
    let at = row * p.ld + i;
    sum = sum + get_dy(at) * get_w(i) * get_x(at);
  }
  let r = get_keep(row);
  let c = r * r * sum_all(lane, sum) / f32(p.width);
  for (var i = lane; i < p.ld; i = i + WIDTH) {
    let at = row * p.ld + i;
    var d = r * (get_dy(at) * get_w(i) - get_x(at) * c);
    if (p.add != 0u) {
      d = d + get_dx(at);
    }
    set_dx(at, d);
  }
}
