// Student's t for whole degrees of freedom, from the finite trigonometric series; nothing but arithmetic, sqrt and atan.
// Knows nothing of what it is used for.

/**
 * P(|T| <= t) for `df` degrees of freedom, t >= 0.
 * Source: Abramowitz & Stegun 26.7.3 (odd) and 26.7.4 (even), with sin and cos of atan(t / sqrt(df)) written out.
 */
export function tInside(t: number, df: number): number {
  if (!(Number.isInteger(df) && df >= 1)) throw new RangeError(`t with ${df} degrees of freedom`);
  if (t === Infinity) return 1;
  const cos2 = df / (df + t * t);
  const sin = t / Math.sqrt(df + t * t);
  const odd = df % 2 === 1;
  // Terms cos^(2j) * (2*4*…)/(3*5*…) for odd df, (1*3*…)/(2*4*…) for even; the first is 1.
  let term = 1;
  let sum = df === 1 ? 0 : 1;
  for (let k = odd ? 3 : 2; k < df && term > 1e-18; k += 2) {
    term *= (cos2 * (k - 1)) / k;
    sum += term;
  }
  if (!odd) return sin * sum;
  const theta = Math.atan(t / Math.sqrt(df));
  return (2 / Math.PI) * (theta + (df === 1 ? 0 : sin * Math.sqrt(cos2) * sum));
}

const known = new Map<string, number>();

/** The t with P(|T| <= t) = level; `tQuantile(0.95, 29)` is 2.045. By bisection, to the last bits. */
export function tQuantile(level: number, df: number): number {
  if (!(level > 0 && level < 1)) throw new RangeError(`level ${level}`);
  const key = `${level} ${df}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  let low = 0;
  let high = 1;
  while (tInside(high, df) < level) high *= 2;
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (tInside(middle, df) < level) low = middle;
    else high = middle;
  }
  known.set(key, high);
  return high;
}
