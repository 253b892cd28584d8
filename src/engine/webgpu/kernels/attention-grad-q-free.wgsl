// attention-grad-q.wgsl without workgroup memory: one invocation computes dQ of a block of eight queries and head, eight
// keys at a time: P = exp(scale q k - lse), dS = scale P (dO v - D), D = dO . O, dQ = sum_j dS_j k_j. See eights.wgsl.

fn slope(s: vec4<f32>, dp: vec4<f32>, lse: f32, delta: f32, seen: vec4<bool>) -> vec4<f32> {
  return select(vec4<f32>(), p.scale * exp4(s * p.scale - lse) * (dp - delta), seen);
}

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let item = block_of(group) * 4u + lane;
  let block = block_at(item / p.heads);
  if (block.length == 0u) {
    return;
  }
  let head = item % p.heads;
  let kv = head / (p.heads / p.kvHeads);
  let row = block.row + block.start;
  let last = min(7u, block.length - block.start - 1u);
  let queries = eight_rows(row * p.ldq + head * DIM, p.ldq, last);
  let lse = eight_lse(eight_rows(row * p.heads + head, p.heads, last));
  var delta = Eight();
  for (var d = 0u; d < DIM; d = d + 1u) {
    let o = eight_out(moved(queries, d));
    let g = eight_dOut(moved(queries, d));
    delta = Eight(delta.low + o.low * g.low, delta.high + o.high * g.high);
  }
  var sums: array<f32, DIM * 8u>; // [dimension][query]
  for (var j = 0u; j <= block.start + last; j = j + 8u) {
    let page = page_of(block, j);
    let keys = key_panel(page, kv, j);
    let end = block.start + last - j;
    let values = eight_rows(value_panel(page, kv, j), 8u, end);
    var s = Tile();
    var dp = Tile();
    for (var d = 0u; d < DIM; d = d + 1u) {
      s = add_outer(s, eight_q(moved(queries, d)), eight_pages(eight_rows(keys + d * 8u, 1u, 7u)));
      let there = value_step(d);
      dp = add_outer(dp, eight_dOut(moved(queries, d)), eight_pages(moved(values, there)));
    }
    let i = block.start;
    let a0 = slope(s.a0, dp.a0, lse.low.x, delta.low.x, sees(i, j));
    let a1 = slope(s.a1, dp.a1, lse.low.x, delta.low.x, sees(i, j + 4u));
    let b0 = slope(s.b0, dp.b0, lse.low.y, delta.low.y, sees(i + 1u, j));
    let b1 = slope(s.b1, dp.b1, lse.low.y, delta.low.y, sees(i + 1u, j + 4u));
    let c0 = slope(s.c0, dp.c0, lse.low.z, delta.low.z, sees(i + 2u, j));
    let c1 = slope(s.c1, dp.c1, lse.low.z, delta.low.z, sees(i + 2u, j + 4u));
    let d0 = slope(s.d0, dp.d0, lse.low.w, delta.low.w, sees(i + 3u, j));
    let d1 = slope(s.d1, dp.d1, lse.low.w, delta.low.w, sees(i + 3u, j + 4u));
    let e0 = slope(s.e0, dp.e0, lse.high.x, delta.high.x, sees(i + 4u, j));
    let e1 = slope(s.e1, dp.e1, lse.high.x, delta.high.x, sees(i + 4u, j + 4u));
    let f0 = slope(s.f0, dp.f0, lse.high.y, delta.high.y, sees(i + 5u, j));
    let f1 = slope(s.f1, dp.f1, lse.high.y, delta.high.y, sees(i + 5u, j + 4u));
    let g0 = slope(s.g0, dp.g0, lse.high.z, delta.high.z, sees(i + 6u, j));
    let g1 = slope(s.g1, dp.g1, lse.high.z, delta.high.z, sees(i + 6u, j + 4u));
    let h0 = slope(s.h0, dp.h0, lse.high.w, delta.high.w, sees(i + 7u, j));
    let h1 = slope(s.h1, dp.h1, lse.high.w, delta.high.w, sees(i + 7u, j + 4u));
    let words = eight_rows(keys, 1u, end);
    for (var d = 0u; d < DIM; d = d + 1u) {
      let k = eight_pages(moved(words, d * 8u));
      let at = d * 8u;
      sums[at] = weigh(sums[at], a0, a1, k);
      sums[at + 1u] = weigh(sums[at + 1u], b0, b1, k);
      sums[at + 2u] = weigh(sums[at + 2u], c0, c1, k);
      sums[at + 3u] = weigh(sums[at + 3u], d0, d1, k);
      sums[at + 4u] = weigh(sums[at + 4u], e0, e1, k);
      sums[at + 5u] = weigh(sums[at + 5u], f0, f1, k);
      sums[at + 6u] = weigh(sums[at + 6u], g0, g1, k);
      sums[at + 7u] = weigh(sums[at + 7u], h0, h1, k);
    }
  }
  for (var i = 0u; i <= last; i = i + 1u) {
    for (var d = 0u; d < DIM; d = d + 1u) {
      set_dq((row + i) * p.ldq + head * DIM + d, sums[d * 8u + i]);
    }
  }
}
