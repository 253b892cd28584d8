// A tile of C[row, column] = sum over d of left[row, d] right[d, column]: 16 PER_THREAD rows by 64 columns a workgroup of
// 256, PER_THREAD by 4 sums an invocation, 16 steps of d at a time through workgroup memory. Every sum runs d = 0, 1, 2 …
// whatever the tile. A kernel gives `left`, `right` (0 beyond the edges; `product` tells a second product from the
// first) and the order in which a tile is read: `left_place`, `right_place` map 0 … to (row or column, d).

const STEPS = 16u;
const TILE_ROWS = 16u * PER_THREAD;
const TILE_COLUMNS = 64u;

alias Sums = array<vec4<f32>, PER_THREAD>;

var<workgroup> left_tile: array<f32, STEPS * TILE_ROWS>;
var<workgroup> right_tile: array<f32, STEPS * TILE_COLUMNS>;

fn add_product(sums: ptr<function, Sums>, product: u32, lane: u32, row: u32, column: u32, depth: u32) {
  for (var d0 = 0u; d0 < depth; d0 = d0 + STEPS) {
    for (var i = lane; i < STEPS * TILE_ROWS; i = i + 256u) {
      let at = left_place(i);
      left_tile[at.y * TILE_ROWS + at.x] = left(product, row + at.x, d0 + at.y);
    }
    for (var i = lane; i < STEPS * TILE_COLUMNS; i = i + 256u) {
      let at = right_place(i);
      right_tile[at.y * TILE_COLUMNS + at.x] = right(product, d0 + at.y, column + at.x);
    }
    workgroupBarrier();
    for (var d = 0u; d < STEPS; d = d + 1u) {
      let c = d * TILE_COLUMNS + (lane & 15u) * 4u;
      let four = vec4<f32>(right_tile[c], right_tile[c + 1u], right_tile[c + 2u], right_tile[c + 3u]);
      let r = d * TILE_ROWS + (lane >> 4u) * PER_THREAD;
      for (var j = 0u; j < PER_THREAD; j = j + 1u) {
        (*sums)[j] = (*sums)[j] + left_tile[r + j] * four;
      }
    }
    workgroupBarrier();
  }
}

fn scale_sums(sums: ptr<function, Sums>, factor: f32) {
  for (var j = 0u; j < PER_THREAD; j = j + 1u) {
    (*sums)[j] = (*sums)[j] * factor;
  }
}

/** First row and column of the tile that a workgroup computes. */
fn tile_of(block: u32, columns: u32) -> vec2<u32> {
  let across = (columns + TILE_COLUMNS - 1u) / TILE_COLUMNS;
  return vec2<u32>((block / across) * TILE_ROWS, (block % across) * TILE_COLUMNS);
}
