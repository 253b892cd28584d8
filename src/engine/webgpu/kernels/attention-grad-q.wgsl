// Backward of attention to the queries: P = exp(scale q k - lse), dP = dO v, D = dO . O, dS = scale P (dP - D),
// dQ = sum_j dS_j k_j. One workgroup a block of 16 queries and head; scores are computed again, page by page.

const QUERIES = 16u;

var<workgroup> scores: array<f32, 512>; // dS [query][key]
var<workgroup> delta: array<f32, QUERIES>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let item = block_of(group);
  let block = find_block(item / p.heads, lane);
  if (block.length == 0u) {
    return;
  }
  let head = item % p.heads;
  let kv = head / (p.heads / p.kvHeads);
  let row = block.row + block.start;
  let queries = min(QUERIES, block.length - block.start);
  if (lane < queries) {
    var sum = 0.0;
    for (var d = 0u; d < DIM; d = d + 1u) {
      let at = (row + lane) * p.ldq + head * DIM + d;
      sum = sum + get_out(at) * get_dOut(at);
    }
    delta[lane] = sum;
  }
  workgroupBarrier();
  let longest = block.start + queries;
  var sums: array<f32, DIM * 16u / LANES>;
  for (var j0 = 0u; j0 < longest; j0 = j0 + 32u) {
    let page = page_of(block, j0);
    for (var s = lane; s < 512u; s = s + LANES) {
      let i = s >> 5u;
      let j = s & 31u;
      var ds = 0.0;
      if (i < queries && j0 + j <= block.start + i) {
        let at = (row + i) * p.ldq + head * DIM;
        var score = 0.0;
        var dp = 0.0;
        for (var d = 0u; d < DIM; d = d + 1u) {
          score = score + get_q(at + d) * get_pages(key_word(page, kv, j, d));
          dp = dp + get_dOut(at + d) * get_pages(value_word(page, kv, j, d));
        }
        let probability = exp_(score * p.scale - get_lse((row + i) * p.heads + head));
        ds = p.scale * probability * (dp - delta[i]);
      }
      scores[s] = ds;
    }
    workgroupBarrier();
    let count = min(32u, longest - j0);
    for (var c = 0u; c < DIM * 16u / LANES; c = c + 1u) {
      let o = lane + c * LANES;
      let i = o / DIM;
      let d = o % DIM;
      var sum = sums[c];
      for (var j = 0u; j < count; j = j + 1u) {
        sum = sum + scores[i * 32u + j] * get_pages(key_word(page, kv, j, d));
      }
      sums[c] = sum;
    }
    workgroupBarrier();
  }
  for (var c = 0u; c < DIM * 16u / LANES; c = c + 1u) {
    let o = lane + c * LANES;
    let i = o / DIM;
    if (i < queries) {
      set_dq((row + i) * p.ldq + head * DIM + o % DIM, sums[c]);
    }
  }
}
