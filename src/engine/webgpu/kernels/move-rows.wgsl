// out[r] = x[index[r]], or out[index[r]] = x[r] when scattering (indices are then distinct). One invocation a word.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.rows * p.width) {
    return;
  }
  let there = word_index(i / p.width) * p.width + i % p.width;
  if (p.scatter != 0u) {
    put_out(there, word_x(i));
  } else {
    put_out(i, word_x(there));
  }
}
