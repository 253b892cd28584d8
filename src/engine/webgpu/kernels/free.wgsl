// tile.wgsl's sums without workgroup memory: an invocation computes 8 x 8 outputs from registers. Every sum runs
// d = 0, 1, 2 … as there. Asks the same functions of a kernel, and for reading eight at once: `left_rows` (first words of
// eight rows), `left_eight` (their element d), `right_eight` (element d of eight columns).

fn with_product(start: Tile, product: u32, row: u32, column: u32, last: u32) -> Tile {
  var t = start;
  let rows = left_rows(product, row, last);
  let end = depth(product);
  for (var d = 0u; d < end; d = d + 1u) {
    t = add_outer(t, left_eight(product, rows, d), right_eight(product, d, column));
  }
  return t;
}

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let size = shape(); // columns come in eights
  let item = block_of(group) * 16u + lane;
  let across = size.y >> 3u;
  let row = (item / across) * 8u;
  if (row >= size.x) {
    return;
  }
  let column = (item % across) * 8u;
  let next = column + 4u;
  let last = min(7u, size.x - 1u - row);
  let r = eight_rows(row, 1u, last);
  var t = Tile(
    begin(r.low.x, column), begin(r.low.x, next), begin(r.low.y, column), begin(r.low.y, next),
    begin(r.low.z, column), begin(r.low.z, next), begin(r.low.w, column), begin(r.low.w, next),
    begin(r.high.x, column), begin(r.high.x, next), begin(r.high.y, column), begin(r.high.y, next),
    begin(r.high.z, column), begin(r.high.z, next), begin(r.high.w, column), begin(r.high.w, next),
  );
  t = scaled(with_product(t, 0u, row, column, last), factor());
  if (PRODUCTS == 2u) {
    t = with_product(t, 1u, row, column, last);
  }
  finish(row, column, t.a0);
  finish(row, next, t.a1);
  if (last >= 1u) {
    finish(row + 1u, column, t.b0);
    finish(row + 1u, next, t.b1);
  }
  if (last >= 2u) {
    finish(row + 2u, column, t.c0);
    finish(row + 2u, next, t.c1);
  }
  if (last >= 3u) {
    finish(row + 3u, column, t.d0);
    finish(row + 3u, next, t.d1);
  }
  if (last >= 4u) {
    finish(row + 4u, column, t.e0);
    finish(row + 4u, next, t.e1);
  }
  if (last >= 5u) {
    finish(row + 5u, column, t.f0);
    finish(row + 5u, next, t.f1);
  }
  if (last >= 6u) {
    finish(row + 6u, column, t.g0);
    finish(row + 6u, next, t.g1);
  }
  if (last >= 7u) {
    finish(row + 7u, column, t.h0);
    finish(row + 7u, next, t.h1);
  }
}
