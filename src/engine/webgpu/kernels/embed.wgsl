// out[r] = row ids[r] of the table [N, K], where it is one of FIRST to END, the rows that this buffer holds. One invocation
// an element.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.rows * p.k) {
    return;
  }
  let row = word_ids(i / p.k);
  if (row >= FIRST && row < END) {
    set_out(i, weight(row - FIRST, i % p.k));
  }
}
