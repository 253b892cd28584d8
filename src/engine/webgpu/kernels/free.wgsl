// tile.wgsl's sums without workgroup memory: an invocation computes 8 x 8 outputs from registers (named, so that they stay
// there). For adapters that compute on the processor: they pay for a barrier, and for every read, more than for arithmetic.
// Asks the same functions of a kernel, except for the order of reading; every sum runs d = 0, 1, 2 … as there.

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
  let last = size.x - 1u;
  let r0 = row;
  let r1 = min(row + 1u, last);
  let r2 = min(row + 2u, last);
  let r3 = min(row + 3u, last);
  let r4 = min(row + 4u, last);
  let r5 = min(row + 5u, last);
  let r6 = min(row + 6u, last);
  let r7 = min(row + 7u, last);
  var x0 = begin(r0, column);
  var y0 = begin(r0, column + 4u);
  var x1 = begin(r1, column);
  var y1 = begin(r1, column + 4u);
  var x2 = begin(r2, column);
  var y2 = begin(r2, column + 4u);
  var x3 = begin(r3, column);
  var y3 = begin(r3, column + 4u);
  var x4 = begin(r4, column);
  var y4 = begin(r4, column + 4u);
  var x5 = begin(r5, column);
  var y5 = begin(r5, column + 4u);
  var x6 = begin(r6, column);
  var y6 = begin(r6, column + 4u);
  var x7 = begin(r7, column);
  var y7 = begin(r7, column + 4u);
  {
    let end = depth(0u);
    for (var d = 0u; d < end; d = d + 1u) {
      let x = right(0u, d, column);
      let y = right(0u, d, column + 4u);
      let l0 = left(0u, r0, d);
      let l1 = left(0u, r1, d);
      let l2 = left(0u, r2, d);
      let l3 = left(0u, r3, d);
      let l4 = left(0u, r4, d);
      let l5 = left(0u, r5, d);
      let l6 = left(0u, r6, d);
      let l7 = left(0u, r7, d);
      x0 = x0 + l0 * x;
      y0 = y0 + l0 * y;
      x1 = x1 + l1 * x;
      y1 = y1 + l1 * y;
      x2 = x2 + l2 * x;
      y2 = y2 + l2 * y;
      x3 = x3 + l3 * x;
      y3 = y3 + l3 * y;
      x4 = x4 + l4 * x;
      y4 = y4 + l4 * y;
      x5 = x5 + l5 * x;
      y5 = y5 + l5 * y;
      x6 = x6 + l6 * x;
      y6 = y6 + l6 * y;
      x7 = x7 + l7 * x;
      y7 = y7 + l7 * y;
    }
  }
  let f = factor();
  x0 = x0 * f;
  y0 = y0 * f;
  x1 = x1 * f;
  y1 = y1 * f;
  x2 = x2 * f;
  y2 = y2 * f;
  x3 = x3 * f;
  y3 = y3 * f;
  x4 = x4 * f;
  y4 = y4 * f;
  x5 = x5 * f;
  y5 = y5 * f;
  x6 = x6 * f;
  y6 = y6 * f;
  x7 = x7 * f;
  y7 = y7 * f;
  if (PRODUCTS == 2u) {
    let end = depth(1u);
    for (var d = 0u; d < end; d = d + 1u) {
      let x = right(1u, d, column);
      let y = right(1u, d, column + 4u);
      let l0 = left(1u, r0, d);
      let l1 = left(1u, r1, d);
      let l2 = left(1u, r2, d);
      let l3 = left(1u, r3, d);
      let l4 = left(1u, r4, d);
      let l5 = left(1u, r5, d);
      let l6 = left(1u, r6, d);
      let l7 = left(1u, r7, d);
      x0 = x0 + l0 * x;
      y0 = y0 + l0 * y;
      x1 = x1 + l1 * x;
      y1 = y1 + l1 * y;
      x2 = x2 + l2 * x;
      y2 = y2 + l2 * y;
      x3 = x3 + l3 * x;
      y3 = y3 + l3 * y;
      x4 = x4 + l4 * x;
      y4 = y4 + l4 * y;
      x5 = x5 + l5 * x;
      y5 = y5 + l5 * y;
      x6 = x6 + l6 * x;
      y6 = y6 + l6 * y;
      x7 = x7 + l7 * x;
      y7 = y7 + l7 * y;
    }
  }
  finish(r0, column, x0);
  finish(r0, column + 4u, y0);
  if (row + 1u < size.x) {
    finish(r1, column, x1);
    finish(r1, column + 4u, y1);
  }
  if (row + 2u < size.x) {
    finish(r2, column, x2);
    finish(r2, column + 4u, y2);
  }
  if (row + 3u < size.x) {
    finish(r3, column, x3);
    finish(r3, column + 4u, y3);
  }
  if (row + 4u < size.x) {
    finish(r4, column, x4);
    finish(r4, column + 4u, y4);
  }
  if (row + 5u < size.x) {
    finish(r5, column, x5);
    finish(r5, column + 4u, y5);
  }
  if (row + 6u < size.x) {
    finish(r6, column, x6);
    finish(r6, column + 4u, y6);
  }
  if (row + 7u < size.x) {
    finish(r7, column, x7);
    finish(r7, column + 4u, y7);
  }
}
