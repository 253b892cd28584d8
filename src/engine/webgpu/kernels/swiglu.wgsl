// h = g s u with s = sigmoid(g). One invocation an element.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.words) {
    return;
  }
  let g = get_gate(i);
  set_out(i, g * sigmoid(g) * get_up(i));
}
