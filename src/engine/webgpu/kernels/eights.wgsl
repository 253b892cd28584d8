// What attention's barrier-free kernels share: eight queries by eight keys in a register tile. Rows and keys beyond the
// last are read as the last one, and get probability 0: a page may hold anything there.

fn exp4(v: vec4<f32>) -> vec4<f32> {
  return vec4<f32>(exp_(v.x), exp_(v.y), exp_(v.z), exp_(v.w));
}

/** Which of keys first … first + 3 a query at `position` sees. */
fn sees(position: u32, first: u32) -> vec4<bool> {
  return vec4<u32>(first, first + 1u, first + 2u, first + 3u) <= vec4<u32>(position);
}

/** First word of a panel of eight keys in its page, [dim][8], and of their values' first eight dimensions, [8 keys][8]. */
fn key_panel(page: u32, head: u32, j: u32) -> u32 {
  return page + head * DIM * 32u + ((j & 31u) >> 3u) * DIM * 8u;
}
fn value_panel(page: u32, head: u32, j: u32) -> u32 {
  return page + (p.kvHeads + head) * DIM * 32u + (j & 31u) * 8u;
}
/** From a value's first word to dimension d. */
fn value_step(d: u32) -> u32 {
  return (d >> 3u) * 256u + (d & 7u);
}

/** sum of eight weighted words. */
fn weigh(start: f32, a: vec4<f32>, b: vec4<f32>, v: Eight) -> f32 {
  return start + a.x * v.low.x + a.y * v.low.y + a.z * v.low.z + a.w * v.low.w +
    b.x * v.high.x + b.y * v.high.y + b.z * v.high.z + b.w * v.high.w;
}
