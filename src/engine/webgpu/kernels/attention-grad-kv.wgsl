// Backward of attention to keys and values: with P, dS as in attention-grad-q.wgsl, dV_j = sum_i P_ij dO_i and
// dK_j = sum_i dS_ij q_i. One workgroup a block of 16 keys and kv head; sums run over the heads of its group, then over
// queries in order, 32 at a time.

const KEYS = 16u;

var<workgroup> chances: array<f32, 512>; // P [query][key]
var<workgroup> scores: array<f32, 512>; // dS [query][key]
var<workgroup> delta: array<f32, 32>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let item = block_of(group);
  let block = find_block(item / p.kvHeads, lane);
  if (block.length == 0u) {
    return;
  }
  let kv = item % p.kvHeads;
  let heads = p.heads / p.kvHeads;
  let page = page_of(block, block.start);
  let keys = min(KEYS, block.length - block.start);
  var dk: array<f32, DIM * 16u / LANES>;
  var dv: array<f32, DIM * 16u / LANES>;
  for (var g = 0u; g < heads; g = g + 1u) {
    let head = kv * heads + g;
    for (var i0 = block.start; i0 < block.length; i0 = i0 + 32u) {
      let row = block.row + i0;
      let queries = min(32u, block.length - i0);
      for (var i = lane; i < queries; i = i + LANES) {
        var sum = 0.0;
        for (var d = 0u; d < DIM; d = d + 1u) {
          let at = (row + i) * p.ldq + head * DIM + d;
          sum = sum + get_out(at) * get_dOut(at);
        }
        delta[i] = sum;
      }
      workgroupBarrier();
      for (var s = lane; s < 512u; s = s + LANES) {
        let i = s >> 4u;
        let j = s & 15u;
        var probability = 0.0;
        var ds = 0.0;
        if (i < queries && j < keys && block.start + j <= i0 + i) {
          let at = (row + i) * p.ldq + head * DIM;
          let slot = (block.start & 31u) + j;
          var score = 0.0;
          var dp = 0.0;
          for (var d = 0u; d < DIM; d = d + 1u) {
            score = score + get_q(at + d) * get_pages(key_word(page, kv, slot, d));
            dp = dp + get_dOut(at + d) * get_pages(value_word(page, kv, slot, d));
          }
          probability = exp_(score * p.scale - get_lse((row + i) * p.heads + head));
          ds = p.scale * probability * (dp - delta[i]);
        }
        chances[s] = probability;
        scores[s] = ds;
      }
      workgroupBarrier();
      for (var c = 0u; c < DIM * 16u / LANES; c = c + 1u) {
        let o = lane + c * LANES;
        let j = o / DIM;
        let d = o % DIM;
        for (var i = 0u; i < queries; i = i + 1u) {
          let at = (row + i) * p.ldq + head * DIM + d;
          dk[c] = dk[c] + scores[i * KEYS + j] * get_q(at);
          dv[c] = dv[c] + chances[i * KEYS + j] * get_dOut(at);
        }
      }
      workgroupBarrier();
    }
  }
  for (var c = 0u; c < DIM * 16u / LANES; c = c + 1u) {
    let o = lane + c * LANES;
    let j = o / DIM;
    if (j < keys) {
      let at = (block.row + block.start + j) * p.ldk + kv * DIM + o % DIM;
      set_dk(at, dk[c]);
      set_dv(at, dv[c]);
    }
  }
}
