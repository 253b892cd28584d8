// attention.wgsl without workgroup memory: one invocation computes eight queries of a unit and head, eight keys at a time,
// with the same online softmax: m' = max(m, s), sums and total times exp(m - m'), then plus exp(s - m') v. See eights.wgsl.

struct Softmax {
  top: f32,
  total: f32,
  /** What the sums so far are multiplied by. */
  shrink: f32,
  low: vec4<f32>,
  high: vec4<f32>,
}

/** One query and eight keys more. */
fn step(top: f32, total: f32, low: vec4<f32>, high: vec4<f32>, position: u32, j: u32) -> Softmax {
  let a = select(vec4<f32>(LOWEST), low * p.scale, sees(position, j));
  let b = select(vec4<f32>(LOWEST), high * p.scale, sees(position, j + 4u));
  let most = max(a, b);
  let best = max(max(max(most.x, most.y), max(most.z, most.w)), top);
  let x = exp4(a - best);
  let y = exp4(b - best);
  let shrink = exp_(top - best);
  return Softmax(best, weigh(total * shrink, x, y, Eight(vec4<f32>(1.0), vec4<f32>(1.0))), shrink, x, y);
}

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let item = block_of(group) * 4u + lane;
  let head = item % p.heads;
  let unit = (item / p.heads) >> 1u;
  let first = ((item / p.heads) & 1u) * 8u;
  if (unit >= p.count || word_units(unit * 4u + 1u) <= first) {
    return;
  }
  let last = min(7u, word_units(unit * 4u + 1u) - first - 1u);
  let row = word_units(unit * 4u) + first;
  let position = word_units(unit * 4u + 2u) + first;
  let table = word_units(unit * 4u + 3u);
  let kv = head / (p.heads / p.kvHeads);
  let queries = eight_rows(row * p.ld + head * DIM, p.ld, last);
  var sums: array<f32, DIM * 8u>; // [dimension][query]
  var top = Eight(vec4<f32>(LOWEST), vec4<f32>(LOWEST));
  var total = Eight();
  for (var j = 0u; j <= position + last; j = j + 8u) {
    let page = word_tables(table + (j >> 5u)) >> 2u;
    let keys = key_panel(page, kv, j);
    var s = Tile();
    for (var d = 0u; d < DIM; d = d + 1u) {
      s = add_outer(s, eight_q(moved(queries, d)), eight_pages(eight_rows(keys + d * 8u, 1u, 7u)));
    }
    let a = step(top.low.x, total.low.x, s.a0, s.a1, position, j);
    let b = step(top.low.y, total.low.y, s.b0, s.b1, position + 1u, j);
    let c = step(top.low.z, total.low.z, s.c0, s.c1, position + 2u, j);
    let d = step(top.low.w, total.low.w, s.d0, s.d1, position + 3u, j);
    let e = step(top.high.x, total.high.x, s.e0, s.e1, position + 4u, j);
    let f = step(top.high.y, total.high.y, s.f0, s.f1, position + 5u, j);
    let g = step(top.high.z, total.high.z, s.g0, s.g1, position + 6u, j);
    let h = step(top.high.w, total.high.w, s.h0, s.h1, position + 7u, j);
    top = Eight(vec4<f32>(a.top, b.top, c.top, d.top), vec4<f32>(e.top, f.top, g.top, h.top));
    total = Eight(vec4<f32>(a.total, b.total, c.total, d.total), vec4<f32>(e.total, f.total, g.total, h.total));
    let values = eight_rows(value_panel(page, kv, j), 8u, position + last - j);
    for (var i = 0u; i < DIM; i = i + 1u) {
      let there = value_step(i);
      let v = eight_pages(moved(values, there));
      let at = i * 8u;
      sums[at] = weigh(sums[at] * a.shrink, a.low, a.high, v);
      sums[at + 1u] = weigh(sums[at + 1u] * b.shrink, b.low, b.high, v);
      sums[at + 2u] = weigh(sums[at + 2u] * c.shrink, c.low, c.high, v);
      sums[at + 3u] = weigh(sums[at + 3u] * d.shrink, d.low, d.high, v);
      sums[at + 4u] = weigh(sums[at + 4u] * e.shrink, e.low, e.high, v);
      sums[at + 5u] = weigh(sums[at + 5u] * f.shrink, f.low, f.high, v);
      sums[at + 6u] = weigh(sums[at + 6u] * g.shrink, g.low, g.high, v);
      sums[at + 7u] = weigh(sums[at + 7u] * h.shrink, h.low, h.high, v);
    }
  }
  for (var i = 0u; i <= last; i = i + 1u) {
    let sum = select(total.high, total.low, i < 4u)[i & 3u];
    let most = select(top.high, top.low, i < 4u)[i & 3u];
    for (var d = 0u; d < DIM; d = d + 1u) {
      set_out((row + i) * p.ld + head * DIM + d, sums[d * 8u + i] / sum);
    }
    set_lse((row + i) * p.heads + head, most + log_(sum));
  }
}
