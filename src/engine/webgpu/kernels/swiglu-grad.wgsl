// Backward of h = g s u, s = sigmoid(g): dg = dh u s (1 + g (1 - s)), du = dh g s. One invocation an element.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.words) {
    return;
  }
  let g = get_gate(i);
  let s = sigmoid(g);
  let d = get_dOut(i) * s;
  set_dGate(i, d * get_up(i) * (1.0 + g * (1.0 - s)));
  set_dUp(i, d * g);
}
