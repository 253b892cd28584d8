// Causal attention over pages of 32 keys: s_j = scale q k_j, p = softmax(s), out = sum_j p_j v_j, lse = log sum_j exp s_j.
// One workgroup a unit (up to 16 queries of a sequence: [first row, queries, first position, start in the page table])
// and head. Online softmax (Milakov & Gimelshein 2018): page after page the sums are scaled to the new maximum, so no
// T x T buffer. A query's pages come in the same order whatever its unit.

const QUERIES = 16u;

var<workgroup> unit: vec4<u32>;
var<workgroup> scores: array<f32, 512>; // [query][key]
var<workgroup> top: array<f32, QUERIES>;
var<workgroup> total: array<f32, QUERIES>;
var<workgroup> shrink: array<f32, QUERIES>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let item = block_of(group);
  if (item >= p.count * p.heads) {
    return;
  }
  let head = item % p.heads;
  let kv = head / (p.heads / p.kvHeads);
  if (lane == 0u) {
    let at = (item / p.heads) * 4u;
    unit = vec4<u32>(word_units(at), word_units(at + 1u), word_units(at + 2u), word_units(at + 3u));
  }
  if (lane < QUERIES) {
    top[lane] = LOWEST;
    total[lane] = 0.0;
  }
  let mine = workgroupUniformLoad(&unit);
  let row = mine.x;
  let queries = mine.y;
  let position = mine.z;
  let longest = position + queries;
  var sums: array<f32, DIM * 16u / LANES>;
  for (var j0 = 0u; j0 < longest; j0 = j0 + 32u) {
    let page = word_tables(mine.w + (j0 >> 5u)) >> 2u;
    let keys = page + kv * DIM * 32u;
    let values = page + (p.kvHeads + kv) * DIM * 32u;
    for (var s = lane; s < 512u; s = s + LANES) {
      let i = s >> 5u;
      let j = s & 31u;
      var score = LOWEST;
      if (i < queries && j0 + j <= position + i) {
        let q = (row + i) * p.ld + head * DIM;
        let k = keys + (j >> 3u) * DIM * 8u + (j & 7u);
        var sum = 0.0;
        for (var d = 0u; d < DIM; d = d + 1u) {
          sum = sum + get_q(q + d) * get_pages(k + d * 8u);
        }
        score = sum * p.scale;
      }
      scores[s] = score;
    }
    workgroupBarrier();
    if (lane < QUERIES) {
      var best = top[lane];
      for (var j = 0u; j < 32u; j = j + 1u) {
        best = max(best, scores[lane * 32u + j]);
      }
      let f = exp_(top[lane] - best);
      var sum = total[lane] * f;
      for (var j = 0u; j < 32u; j = j + 1u) {
        var e = 0.0;
        if (lane < queries && j0 + j <= position + lane) {
          e = exp_(scores[lane * 32u + j] - best);
        }
        scores[lane * 32u + j] = e;
        sum = sum + e;
      }
      top[lane] = best;
      total[lane] = sum;
      shrink[lane] = f;
    }
    workgroupBarrier();
    let count = min(32u, longest - j0); // beyond it a page may hold anything
    for (var c = 0u; c < DIM * 16u / LANES; c = c + 1u) {
      let o = lane + c * LANES;
      let i = o / DIM;
      let d = o % DIM;
      if (i < queries) {
        var sum = sums[c] * shrink[i];
        for (var j = 0u; j < count; j = j + 1u) {
          sum = sum + scores[i * 32u + j] * get_pages(values + (d >> 3u) * 256u + j * 8u + (d & 7u));
        }
        sums[c] = sum;
      }
    }
    workgroupBarrier();
  }
  for (var c = 0u; c < DIM * 16u / LANES; c = c + 1u) {
    let o = lane + c * LANES;
    let i = o / DIM;
    if (i < queries) {
      set_out((row + i) * p.ld + head * DIM + o % DIM, sums[c] / total[i]);
    }
  }
  if (lane < queries) {
    set_lse((row + lane) * p.heads + head, top[lane] + log_(total[lane]));
  }
}
