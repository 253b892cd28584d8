// attention-grad-kv.wgsl without workgroup memory: one invocation computes dK and dV of a block of eight keys and kv head:
// dV_j = sum_i P_ij dO_i, dK_j = sum_i dS_ij q_i, over the heads of its group, then over queries in order, eight at a
// time. See eights.wgsl.

/** P of a query and four keys. */
fn chance(s: vec4<f32>, lse: f32, seen: vec4<bool>) -> vec4<f32> {
  return select(vec4<f32>(), exp4(s * p.scale - lse), seen);
}
/** dS = scale P (dP - D), 0 where P is. */
fn slope(chances: vec4<f32>, dp: vec4<f32>, delta: f32, seen: vec4<bool>) -> vec4<f32> {
  return select(vec4<f32>(), p.scale * chances * (dp - delta), seen);
}
/** Which of keys j … j + 3 query i of the sequence sees; none where there is no such query. */
fn seen_by(i: u32, j: u32, length: u32) -> vec4<bool> {
  return sees(i, select(i + 1u, j, i < length));
}

/** For each of eight columns of t, the sum over rows weighted by v. */
fn weigh_rows(t: Tile, v: Eight) -> Eight {
  return Eight(
    v.low.x * t.a0 + v.low.y * t.b0 + v.low.z * t.c0 + v.low.w * t.d0 +
      v.high.x * t.e0 + v.high.y * t.f0 + v.high.z * t.g0 + v.high.w * t.h0,
    v.low.x * t.a1 + v.low.y * t.b1 + v.low.z * t.c1 + v.low.w * t.d1 +
      v.high.x * t.e1 + v.high.y * t.f1 + v.high.z * t.g1 + v.high.w * t.h1,
  );
}

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let item = block_of(group) * 4u + lane;
  let block = block_at(item / p.kvHeads);
  if (block.length == 0u) {
    return;
  }
  let kv = item % p.kvHeads;
  let heads = p.heads / p.kvHeads;
  let j = block.start;
  let last = min(7u, block.length - j - 1u);
  let page = page_of(block, j);
  let keys = key_panel(page, kv, j);
  let values = eight_rows(value_panel(page, kv, j), 8u, last);
  var dk: array<f32, DIM * 8u>; // [dimension][key]
  var dv: array<f32, DIM * 8u>;
  for (var n = 0u; n < heads; n = n + 1u) {
    let head = kv * heads + n;
    for (var i = j; i < block.length; i = i + 8u) {
      let row = block.row + i;
      let end = block.length - i - 1u;
      let queries = eight_rows(row * p.ldq + head * DIM, p.ldq, end);
      let lse = eight_lse(eight_rows(row * p.heads + head, p.heads, end));
      var s = Tile();
      var dp = Tile();
      var delta = Eight();
      for (var d = 0u; d < DIM; d = d + 1u) {
        s = add_outer(s, eight_q(moved(queries, d)), eight_pages(eight_rows(keys + d * 8u, 1u, 7u)));
        let there = value_step(d);
        let g = eight_dOut(moved(queries, d));
        dp = add_outer(dp, g, eight_pages(moved(values, there)));
        let o = eight_out(moved(queries, d));
        delta = Eight(delta.low + o.low * g.low, delta.high + o.high * g.high);
      }
      var t: Tile; // P
      var u: Tile; // dS
      let l = block.length;
      t.a0 = chance(s.a0, lse.low.x, seen_by(i, j, l));
      t.a1 = chance(s.a1, lse.low.x, seen_by(i, j + 4u, l));
      t.b0 = chance(s.b0, lse.low.y, seen_by(i + 1u, j, l));
      t.b1 = chance(s.b1, lse.low.y, seen_by(i + 1u, j + 4u, l));
      t.c0 = chance(s.c0, lse.low.z, seen_by(i + 2u, j, l));
      t.c1 = chance(s.c1, lse.low.z, seen_by(i + 2u, j + 4u, l));
      t.d0 = chance(s.d0, lse.low.w, seen_by(i + 3u, j, l));
      t.d1 = chance(s.d1, lse.low.w, seen_by(i + 3u, j + 4u, l));
      t.e0 = chance(s.e0, lse.high.x, seen_by(i + 4u, j, l));
      t.e1 = chance(s.e1, lse.high.x, seen_by(i + 4u, j + 4u, l));
      t.f0 = chance(s.f0, lse.high.y, seen_by(i + 5u, j, l));
      t.f1 = chance(s.f1, lse.high.y, seen_by(i + 5u, j + 4u, l));
      t.g0 = chance(s.g0, lse.high.z, seen_by(i + 6u, j, l));
      t.g1 = chance(s.g1, lse.high.z, seen_by(i + 6u, j + 4u, l));
      t.h0 = chance(s.h0, lse.high.w, seen_by(i + 7u, j, l));
      t.h1 = chance(s.h1, lse.high.w, seen_by(i + 7u, j + 4u, l));
      u.a0 = slope(t.a0, dp.a0, delta.low.x, seen_by(i, j, l));
      u.a1 = slope(t.a1, dp.a1, delta.low.x, seen_by(i, j + 4u, l));
      u.b0 = slope(t.b0, dp.b0, delta.low.y, seen_by(i + 1u, j, l));
      u.b1 = slope(t.b1, dp.b1, delta.low.y, seen_by(i + 1u, j + 4u, l));
      u.c0 = slope(t.c0, dp.c0, delta.low.z, seen_by(i + 2u, j, l));
      u.c1 = slope(t.c1, dp.c1, delta.low.z, seen_by(i + 2u, j + 4u, l));
      u.d0 = slope(t.d0, dp.d0, delta.low.w, seen_by(i + 3u, j, l));
      u.d1 = slope(t.d1, dp.d1, delta.low.w, seen_by(i + 3u, j + 4u, l));
      u.e0 = slope(t.e0, dp.e0, delta.high.x, seen_by(i + 4u, j, l));
      u.e1 = slope(t.e1, dp.e1, delta.high.x, seen_by(i + 4u, j + 4u, l));
      u.f0 = slope(t.f0, dp.f0, delta.high.y, seen_by(i + 5u, j, l));
      u.f1 = slope(t.f1, dp.f1, delta.high.y, seen_by(i + 5u, j + 4u, l));
      u.g0 = slope(t.g0, dp.g0, delta.high.z, seen_by(i + 6u, j, l));
      u.g1 = slope(t.g1, dp.g1, delta.high.z, seen_by(i + 6u, j + 4u, l));
      u.h0 = slope(t.h0, dp.h0, delta.high.w, seen_by(i + 7u, j, l));
      u.h1 = slope(t.h1, dp.h1, delta.high.w, seen_by(i + 7u, j + 4u, l));
      for (var d = 0u; d < DIM; d = d + 1u) {
        let at = d * 8u;
        let k = weigh_rows(u, eight_q(moved(queries, d)));
        let v = weigh_rows(t, eight_dOut(moved(queries, d)));
        dk[at] = dk[at] + k.low.x;
        dk[at + 1u] = dk[at + 1u] + k.low.y;
        dk[at + 2u] = dk[at + 2u] + k.low.z;
        dk[at + 3u] = dk[at + 3u] + k.low.w;
        dk[at + 4u] = dk[at + 4u] + k.high.x;
        dk[at + 5u] = dk[at + 5u] + k.high.y;
        dk[at + 6u] = dk[at + 6u] + k.high.z;
        dk[at + 7u] = dk[at + 7u] + k.high.w;
        dv[at] = dv[at] + v.low.x;
        dv[at + 1u] = dv[at + 1u] + v.low.y;
        dv[at + 2u] = dv[at + 2u] + v.low.z;
        dv[at + 3u] = dv[at + 3u] + v.low.w;
        dv[at + 4u] = dv[at + 4u] + v.high.x;
        dv[at + 5u] = dv[at + 5u] + v.high.y;
        dv[at + 6u] = dv[at + 6u] + v.high.z;
        dv[at + 7u] = dv[at + 7u] + v.high.w;
      }
    }
  }
  for (var i = 0u; i <= last; i = i + 1u) {
    let at = (block.row + j + i) * p.ldk + kv * DIM;
    for (var d = 0u; d < DIM; d = d + 1u) {
      set_dk(at + d, dk[d * 8u + i]);
      set_dv(at + d, dv[d * 8u + i]);
    }
  }
}
