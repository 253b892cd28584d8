// dTable[ids[r]] += dx[r], rows in order: one invocation a column, so that no two write one word.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 64u + lane;
  if (i >= p.k) {
    return;
  }
  for (var r = 0u; r < p.rows; r = r + 1u) {
    let id = word_ids(r);
    let at = ((id >> 3u) * p.k + i) * 8u + (id & 7u);
    set_table(at, get_table(at) + get_dx(r * p.k + i));
  }
}
