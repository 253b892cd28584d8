// What linear.wgsl and linear-dx.wgsl share: the base weight's product comes first and is scaled by alpha, then the LoRA
// pair's; results are rows of `out`. Weights are read in loops: a call is compiled in full wherever it stands, and reading
// a block type is long.

fn factor() -> f32 {
  return p.alpha;
}

fn left_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i >> 5u, i & 31u);
}

/** weight(n, k) and the three after it along n, or along k. */
fn four_along_n(n: u32, k: u32) -> vec4<f32> {
  var four = vec4<f32>();
  for (var i = 0u; i < 4u; i = i + 1u) {
    four[i] = weight(n + i, k);
  }
  return four;
}
fn four_along_k(n: u32, k: u32) -> vec4<f32> {
  var four = vec4<f32>();
  for (var i = 0u; i < 4u; i = i + 1u) {
    four[i] = weight(n, k + i);
  }
  return four;
}

fn finish(row: u32, column: u32, sums: vec4<f32>) {
  let i = row * p.ldo + column;
  set_out(i, sums.x);
  set_out(i + 1u, sums.y);
  set_out(i + 2u, sums.z);
  set_out(i + 3u, sums.w);
}
