// Backward of a linear layer to its weight: dW[N,K] (+)= dy[M,N]^T x[M,K], in panel order like W itself. Tiled; the sum
// runs over rows m = 0 … M, beginning with what is there when adding. Also lora_A's gradient (dt^T x) and lora_B's
// (dy^T t).

const PRODUCTS = 1u;

fn shape() -> vec2<u32> {
  return vec2<u32>(p.n, p.k);
}
fn depth(product: u32) -> u32 {
  return p.rows;
}
fn factor() -> f32 {
  return 1.0;
}

fn left_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i & 7u, i >> 3u);
}
fn right_place(i: u32) -> vec2<u32> {
  return vec2<u32>(i & 7u, i >> 3u);
}

fn left(product: u32, n: u32, m: u32) -> f32 {
  return get_dy(m * p.ldy + n);
}

fn right(product: u32, m: u32, k: u32) -> vec4<f32> {
  let i = m * p.ldx + k;
  return vec4<f32>(get_x(i), get_x(i + 1u), get_x(i + 2u), get_x(i + 3u));
}

fn left_rows(product: u32, n: u32, last: u32) -> Rows {
  return eight_rows(n, 1u, last);
}
fn left_eight(product: u32, rows: Rows, m: u32) -> Eight {
  return eight_dy(moved(rows, m * p.ldy));
}
fn right_eight(product: u32, m: u32, k: u32) -> Eight {
  return eight_x(eight_rows(m * p.ldx + k, 1u, 7u));
}

fn place(n: u32, k: u32) -> u32 {
  return ((n >> 3u) * p.k + k) * 8u + (n & 7u);
}

fn begin(n: u32, k: u32) -> vec4<f32> {
  if (p.add == 0u) {
    return vec4<f32>();
  }
  let i = place(n, k);
  return vec4<f32>(get_dw(i), get_dw(i + 8u), get_dw(i + 16u), get_dw(i + 24u));
}

fn finish(n: u32, k: u32, sums: vec4<f32>) {
  let i = place(n, k);
  set_dw(i, sums.x);
  set_dw(i + 8u, sums.y);
  set_dw(i + 16u, sums.z);
  set_dw(i + 24u, sums.w);
}
