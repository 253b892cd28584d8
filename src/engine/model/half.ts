// Numbers of 16 bits: binary16 and bfloat16, from and to their bits. Rounding is to nearest, ties to even.
const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);

/** IEEE 754 binary16 bits of a number's f32 value: subnormals kept, overflow to infinity, NaN stays NaN. */
export function f16Bits(value: number): number {
  float[0] = value;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65,520 and above round to infinity
  if (magnitude < 0x38800000) {
    // Below 2^-14: a multiple of 2^-24. Adding 0.5 puts the rounding where the f32 adder does it, ties to even.
    bits[0] = magnitude;
    float[0] = float[0]! + 0.5;
    return sign | (bits[0]! - 0x3f000000);
  }
  const odd = (magnitude >>> 13) & 1;
  return sign | ((magnitude - 0x38000000 + 0x0fff + odd) >>> 13);
}

/** The number that binary16 bits stand for; exact. */
export function f16Value(half: number): number {
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** bfloat16 bits of a number's f32 value. */
export function bf16Bits(value: number): number {
  float[0] = value;
  const word = bits[0]!;
  if ((word & 0x7fffffff) > 0x7f800000) return (word >>> 16) | 0x40; // adding could carry a NaN into infinity
  return (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
}

/** The number that bfloat16 bits stand for; exact. */
export function bf16Value(half: number): number {
  bits[0] = half << 16;
  return float[0]!;
}
