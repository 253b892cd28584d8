// What every kernel may use: our own exp and log, so that their error does not depend on a driver's (exp: Cephes' expf,
// within 2 ulp; log: atanh series, within 2 ulp), finiteness by bit pattern, a workgroup's number,
// and eights.

const NAN_BITS = 0x7fc00000u;
/** Below every logit and score; not infinity, which compilers may assume away. */
const LOWEST = -3.0e38;

/** x = n ln2 + r, polynomial on |r| <= ln2/2. Below -87.3 it is 0, above 88.3 it stays; NaN stays NaN. */
fn exp_(v: f32) -> f32 {
  if (v < -87.3) {
    return 0.0;
  }
  var x = v;
  if (v > 88.3) {
    x = 88.3;
  }
  let n = floor(x * 1.44269504088896341 + 0.5);
  var r = x - n * 0.693359375;
  r = r + n * 2.12194440e-4;
  var y = 1.9875691500e-4;
  y = y * r + 1.3981999507e-3;
  y = y * r + 8.3334519073e-3;
  y = y * r + 4.1665795894e-2;
  y = y * r + 1.6666665459e-1;
  y = y * r + 5.0000001201e-1;
  y = y * (r * r) + r + 1.0;
  return y * bitcast<f32>(u32(i32(n) + 127) << 23u);
}

/** x > 0: x = 2^e m, s = (m - 1) / (m + 1), log m = 2 (s + s^3/3 + ...). */
fn log_(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  var e = f32(i32(bits >> 23u) - 127);
  var m = bitcast<f32>((bits & 0x7fffffu) | 0x3f800000u);
  if (m > 1.41421356) {
    m = m * 0.5;
    e = e + 1.0;
  }
  let s = (m - 1.0) / (m + 1.0);
  let q = s * s;
  let series = 1.0 + q * (0.333333333 + q * (0.2 + q * (0.142857143 + q * (0.111111111 + q * 0.0909090909))));
  return 2.0 * s * series + e * 0.693147181;
}

fn sigmoid(x: f32) -> f32 {
  return 1.0 / (1.0 + exp_(-x));
}

fn not_finite(bits: u32) -> bool {
  return (bits & 0x7f800000u) == 0x7f800000u;
}

/** A dimension holds at most 65,535 workgroups: larger grids go on in y (grid.ts). */
fn block_of(group: vec3<u32>) -> u32 {
  return group.y * 32768u + group.x;
}

/** Eight numbers, and the places of eight words: what an invocation that works from registers reads at once. */
struct Eight {
  low: vec4<f32>,
  high: vec4<f32>,
}

struct Rows {
  low: vec4<u32>,
  high: vec4<u32>,
}

/** `stride` words apart; those beyond row `last` are that row again. */
fn eight_rows(first: u32, stride: u32, last: u32) -> Rows {
  let low = min(vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last));
  let high = min(vec4<u32>(4u, 5u, 6u, 7u), vec4<u32>(last));
  return Rows(first + low * stride, first + high * stride);
}
fn moved(at: Rows, words: u32) -> Rows {
  return Rows(at.low + words, at.high + words);
}
