// A tile of 8 x 8 sums that one invocation keeps in registers, rows a … h in two fours of columns. Kernels without
// workgroup memory are made of it: a processor that plays GPU pays for a read six times what it pays for a product, whoever
// reads what, and for every barrier; 16 reads here serve 64 products.

struct Tile {
  a0: vec4<f32>, a1: vec4<f32>,
  b0: vec4<f32>, b1: vec4<f32>,
  c0: vec4<f32>, c1: vec4<f32>,
  d0: vec4<f32>, d1: vec4<f32>,
  e0: vec4<f32>, e1: vec4<f32>,
  f0: vec4<f32>, f1: vec4<f32>,
  g0: vec4<f32>, g1: vec4<f32>,
  h0: vec4<f32>, h1: vec4<f32>,
}

/** t + left right^T. */
fn add_outer(t: Tile, left: Eight, right: Eight) -> Tile {
  let x = right.low;
  let y = right.high;
  return Tile(
    t.a0 + left.low.x * x, t.a1 + left.low.x * y,
    t.b0 + left.low.y * x, t.b1 + left.low.y * y,
    t.c0 + left.low.z * x, t.c1 + left.low.z * y,
    t.d0 + left.low.w * x, t.d1 + left.low.w * y,
    t.e0 + left.high.x * x, t.e1 + left.high.x * y,
    t.f0 + left.high.y * x, t.f1 + left.high.y * y,
    t.g0 + left.high.z * x, t.g1 + left.high.z * y,
    t.h0 + left.high.w * x, t.h1 + left.high.w * y,
  );
}

fn scaled(t: Tile, f: f32) -> Tile {
  return Tile(
    t.a0 * f, t.a1 * f, t.b0 * f, t.b1 * f, t.c0 * f, t.c1 * f, t.d0 * f, t.d1 * f,
    t.e0 * f, t.e1 * f, t.f0 * f, t.f1 * f, t.g0 * f, t.g1 * f, t.h0 * f, t.h1 * f,
  );
}
