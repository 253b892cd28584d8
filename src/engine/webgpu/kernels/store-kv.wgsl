// Turned keys and values into their pages of 32: K as [kv head][4 panels of 8 keys][dim][8], V as [kv head][dim/8][32
// keys][8], V after all of K. page[r]: bytes from the layer's first page. One invocation an element.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.rows * p.heads * p.dim) {
    return;
  }
  let d = i % p.dim;
  let head = (i / p.dim) % p.heads;
  let row = i / (p.dim * p.heads);
  let slot = word_positions(row) & 31u;
  let page = word_page(row) >> 2u;
  let at = row * p.ld + head * p.dim + d;
  put_pages(page + head * p.dim * 32u + (slot >> 3u) * p.dim * 8u + d * 8u + (slot & 7u), word_k(at));
  put_pages(page + (p.heads + head) * p.dim * 32u + (d >> 3u) * 256u + slot * 8u + (d & 7u), word_v(at));
}
