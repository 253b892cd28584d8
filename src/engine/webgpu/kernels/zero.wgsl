// out = 0. One invocation a word.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i < p.words) {
    put_out(i, 0u);
  }
}
