// AdamW (Loshchilov & Hutter 2019) as PyTorch writes it, g first multiplied by `scale`; where that is NaN nothing
// changes. One invocation a word:
//   p -= lr wd p; m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; p -= lr/(1-b1^t) m / (sqrt(v)/sqrt(1-b2^t) + eps)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = block_of(group) * 256u + lane;
  if (i >= p.words || not_finite(word_scale(0u))) {
    return;
  }
  let d = get_g(i) * get_scale(0u);
  let m = get_m(i) * p.b1 + d * p.c1;
  let v = get_v(i) * p.b2 + d * d * p.c2;
  set_m(i, m);
  set_v(i, v);
  set_p(i, get_p(i) * p.keep - p.step * (m / (sqrt(v) / p.root + p.eps)));
}
