// out[r] = row ids[r] of the table [N, K]. One invocation an element.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.rows * p.k) {
    return;
  }
  set_out(i, weight(word_ids(i / p.k), i % p.k));
}
