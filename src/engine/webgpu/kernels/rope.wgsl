// Rotary positions in Hugging Face's order: (a, b) = halves of a head; a' = a cos - b sin, b' = b cos + a sin. The
// gradient turns the other way (direction -1). Table: [position][cos of half | sin of half]. One invocation a pair.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let pairs = p.dim / 2u;
  let i = block_of(group) * 256u + lane;
  if (i >= p.rows * p.heads * pairs) {
    return;
  }
  let d = i % pairs;
  let row = i / (pairs * p.heads);
  let at = row * p.ld + ((i / pairs) % p.heads) * p.dim + d;
  let turn = word_positions(row) * p.dim + d;
  let c = get_table(turn);
  let s = get_table(turn + pairs) * p.direction;
  let a = get_x(at);
  let b = get_x(at + pairs);
  set_x(at, a * c - b * s);
  set_x(at + pairs, b * c + a * s);
}
