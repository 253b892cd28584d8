// Rotary frequencies and the table of cos and sin, with our own exp, log, sin and cos in f64 so that every JavaScript
// engine gives the same bits (Math.cos may differ). Frequencies and angles are rounded to f32 as transformers does.
import type { ModelConfig } from '../types.ts';

const LN2 = 0.6931471805599453;

/** exp by halving to |r| <= ln2/2 and Taylor's series. */
export function exp(x: number): number {
  const n = Math.round(x / LN2);
  const r = x - n * 0.69314718036912381649 - n * 1.90821492927058770002e-10;
  let sum = 1;
  for (let i = 18; i > 0; i--) sum = 1 + (sum * r) / i;
  return sum * powerOfTwo(n);
}

const powerOfTwo = (n: number): number => {
  let p = 1;
  for (let i = 0; i < Math.abs(n); i++) p *= n > 0 ? 2 : 0.5;
  return p;
};

/** log for x > 0: x = 2^e m, atanh series. */
export function log(x: number): number {
  let [m, e] = [x, 0];
  while (m > 1.4142135623730951) [m, e] = [m / 2, e + 1];
  while (m < 0.7071067811865476) [m, e] = [m * 2, e - 1];
  const s = (m - 1) / (m + 1);
  let sum = 0;
  for (let i = 35; i > 0; i -= 2) sum = sum * s * s + 1 / i;
  return 2 * s * sum + e * LN2;
}

/** [cos x, sin x] for 0 <= x < 2^20: Cody-Waite reduction by pi/2 in three parts, then Taylor's series. */
export function cosSin(x: number): [number, number] {
  const n = Math.round(x * 0.6366197723675814);
  let r = x - n * 1.57079632673412561417;
  r -= n * 6.0771005063039659766e-11;
  r -= n * 2.02226624879595063154e-21;
  let [c, s] = [0, 0];
  for (let i = 22; i >= 0; i -= 2) {
    c = 1 - (i < 22 ? (c * r * r) / ((i + 1) * (i + 2)) : 0);
    s = 1 - (i < 22 ? (s * r * r) / ((i + 2) * (i + 3)) : 0);
  }
  s *= r;
  const quadrant = ((n % 4) + 4) % 4;
  if (quadrant === 0) return [c, s];
  if (quadrant === 1) return [-s, c];
  if (quadrant === 2) return [-c, -s];
  return [s, -c];
}

/** Inverse frequencies of a head's pairs, their scaling included. */
export function inverseFrequencies(config: ModelConfig): Float32Array {
  const { headDim, ropeTheta, ropeScaling } = config;
  const out = new Float32Array(headDim / 2);
  for (let i = 0; i < out.length; i++) out[i] = 1 / Math.fround(exp(((2 * i) / headDim) * log(ropeTheta)));
  if (!ropeScaling) return out;
  if (ropeScaling.type === 'factors') return out.map((f, i) => f / ropeScaling.factors[i]!);
  const { factor, lowFreqFactor, highFreqFactor, originalContext } = ropeScaling;
  return out.map((f) => {
    const wavelength = (2 * Math.PI) / f;
    if (wavelength < originalContext / highFreqFactor) return f;
    if (wavelength > originalContext / lowFreqFactor) return f / factor;
    const smooth = (originalContext / wavelength - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
    return ((1 - smooth) * f) / factor + smooth * f;
  });
}

/** [position][cos of headDim/2 | sin of headDim/2] for the first `count` positions. */
export function ropeTable(config: ModelConfig, count: number): Float32Array {
  const frequencies = inverseFrequencies(config);
  const half = frequencies.length;
  const table = new Float32Array(count * half * 2);
  for (let p = 0; p < count; p++) {
    for (let i = 0; i < half; i++) {
      const [c, s] = cosSin(Math.fround(p * frequencies[i]!));
      table[p * half * 2 + i] = c;
      table[p * half * 2 + half + i] = s;
    }
  }
  return table;
}
