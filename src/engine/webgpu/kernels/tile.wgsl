// A tile of C[row, column] = sum over d of left[row, d] right[d, column]: 32 x 32 outputs a workgroup of 64, 4 x 4 sums
// an invocation (named, so that they stay in registers), 32 steps of d at a time through workgroup memory. Every sum
// runs d = 0, 1, 2 … wherever its tile begins.
// A kernel gives: `shape` (rows, columns) of C, `depth` of each of its PRODUCTS, `left` and `right`, asked within these
// alone, the order in which a tile of them is read, four rows or columns at a time (`left_place`, `right_place` map 0 … 255
// to (fours, d)), `begin` (what four sums of a row start from), `factor` (of the sums after the first product) and `finish`
// (stores them). free.wgsl is the same without workgroup memory.

const STEPS = 32u;
const SIDE = 32u;
const FOURS = SIDE / 4u;

struct Sums {
  a: vec4<f32>,
  b: vec4<f32>,
  c: vec4<f32>,
  d: vec4<f32>,
}

var<workgroup> left_tile: array<vec4<f32>, STEPS * FOURS>; // [d][4 rows]
var<workgroup> right_tile: array<vec4<f32>, STEPS * FOURS>; // [d][4 columns]

fn left_within(product: u32, row: u32, d: u32, rows: u32, end: u32) -> f32 {
  if (row >= rows || d >= end) {
    return 0.0;
  }
  return left(product, row, d);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let size = shape();
  let across = (size.y + SIDE - 1u) / SIDE;
  let block = block_of(group);
  let row0 = (block / across) * SIDE;
  let column0 = (block % across) * SIDE;
  if (row0 >= size.x) {
    return;
  }
  let row = row0 + (lane >> 3u) * 4u;
  let column = column0 + (lane & 7u) * 4u;
  let inside = column < size.y; // columns come in eights
  var sums: Sums;
  if (inside) {
    let last = size.x - 1u;
    sums.a = begin(min(row, last), column);
    sums.b = begin(min(row + 1u, last), column);
    sums.c = begin(min(row + 2u, last), column);
    sums.d = begin(min(row + 3u, last), column);
  }
  for (var product = 0u; product < PRODUCTS; product = product + 1u) {
    let end = depth(product);
    for (var d0 = 0u; d0 < end; d0 = d0 + STEPS) {
      for (var i = lane; i < STEPS * FOURS; i = i + 64u) {
        let l = left_place(i);
        let first = row0 + l.x * 4u;
        left_tile[l.y * FOURS + l.x] = vec4<f32>(
          left_within(product, first, d0 + l.y, size.x, end),
          left_within(product, first + 1u, d0 + l.y, size.x, end),
          left_within(product, first + 2u, d0 + l.y, size.x, end),
          left_within(product, first + 3u, d0 + l.y, size.x, end),
        );
        let r = right_place(i);
        var fours = vec4<f32>();
        if (column0 + r.x * 4u < size.y && d0 + r.y < end) {
          fours = right(product, d0 + r.y, column0 + r.x * 4u);
        }
        right_tile[r.y * FOURS + r.x] = fours;
      }
      workgroupBarrier();
      var at = 0u;
      for (var d = 0u; d < STEPS; d = d + 1u) {
        let l = left_tile[at + (lane >> 3u)];
        let r = right_tile[at + (lane & 7u)];
        sums.a = sums.a + l.x * r;
        sums.b = sums.b + l.y * r;
        sums.c = sums.c + l.z * r;
        sums.d = sums.d + l.w * r;
        at = at + FOURS;
      }
      workgroupBarrier();
    }
    if (product == 0u) {
      sums = Sums(sums.a * factor(), sums.b * factor(), sums.c * factor(), sums.d * factor());
    }
  }
  if (inside && row < size.x) {
    finish(row, column, sums.a);
  }
  if (inside && row + 1u < size.x) {
    finish(row + 1u, column, sums.b);
  }
  if (inside && row + 2u < size.x) {
    finish(row + 2u, column, sums.c);
  }
  if (inside && row + 3u < size.x) {
    finish(row + 3u, column, sums.d);
  }
}
