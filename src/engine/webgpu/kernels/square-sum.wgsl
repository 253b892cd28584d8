// out[c] = sum of g^2 over words 4096 c … 4096 c + 4095, written as the bits of an f64 (the host adds them in f64); NaN
// where a word of g is not finite or the sum overflows. One workgroup a chunk.

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let chunk = block_of(group);
  if (chunk * 4096u >= p.words) {
    return;
  }
  let end = min(p.words, (chunk + 1u) * 4096u);
  var sum = 0.0;
  var bad = 0.0;
  for (var i = chunk * 4096u + lane; i < end; i = i + WIDTH) {
    if (not_finite(word_g(i))) {
      bad = 1.0;
    }
    sum = sum + get_g(i) * get_g(i);
  }
  let total = bitcast<u32>(sum_all(lane, sum));
  let broken = sum_all(lane, bad) > 0.0 || not_finite(total);
  if (lane == 0u) {
    let exponent = total >> 23u;
    var high = 0u;
    var low = 0u;
    if (broken) {
      high = 0x7ff80000u;
    } else if (exponent > 0u) {
      high = ((exponent + 896u) << 20u) | ((total & 0x7fffffu) >> 3u);
      low = total << 29u;
    }
    put_out(chunk * 2u, low);
    put_out(chunk * 2u + 1u, high);
  }
}
