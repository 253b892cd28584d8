// Exact fractions of BigInts, in lowest terms, the denominator positive. Knows nothing of units or merges.

export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

/** No operation may make more digits than this; squaring again and again would. Out of reach of generated instances. */
export const MAX_DIGITS = 200;
const LIMIT = 10n ** BigInt(MAX_DIGITS);

const abs = (x: bigint) => (x < 0n ? -x : x);

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** n/d in lowest terms; d must not be zero. */
export function rational(n: bigint | number, d: bigint | number = 1n): Rational {
  let [num, den] = [BigInt(n), BigInt(d)];
  if (den === 1n) return { n: num, d: den };
  if (den < 0n) [num, den] = [-num, -den];
  const shared = gcd(abs(num), den);
  return { n: num / shared, d: den / shared };
}

export const tooLarge = ({ n, d }: Rational) => abs(n) >= LIMIT || d >= LIMIT;
export const isZero = ({ n }: Rational) => n === 0n;

export const add = (a: Rational, b: Rational) => rational(a.n * b.d + b.n * a.d, a.d * b.d);
export const times = (a: Rational, b: Rational) => rational(a.n * b.n, a.d * b.d);
export const negated = ({ n, d }: Rational): Rational => ({ n: -n, d });

export function floor({ n, d }: Rational): Rational {
  const towardZero = n / d;
  return { n: n < 0n && n % d !== 0n ? towardZero - 1n : towardZero, d: 1n };
}
export const ceil = (x: Rational) => negated(floor(negated(x)));

/** The exact root, or null where it is no fraction. */
export function root({ n, d }: Rational): Rational | null {
  const [top, bottom] = [integerRoot(n), integerRoot(d)];
  return top === null || bottom === null ? null : { n: top, d: bottom };
}

function integerRoot(x: bigint): bigint | null {
  if (x < 0n) return null;
  if (x < 2n) return x;
  let guess = BigInt(Math.floor(Math.sqrt(Number(x > 10n ** 300n ? 10n ** 300n : x)))) + 1n;
  for (let next = (guess + x / guess) / 2n; abs(next - guess) > 1n || next * next > x;) {
    guess = next;
    next = (guess + x / guess) / 2n;
    if (next === guess) break;
  }
  for (let near = guess - 2n; near <= guess + 2n; near++) if (near * near === x) return near;
  return null;
}

export const format = ({ n, d }: Rational) => (d === 1n ? String(n) : `${n}/${d}`);

/** `-7/2`, as `format` writes it. */
export function parse(text: string): Rational {
  const [n, d = '1'] = text.split('/');
  return { n: BigInt(n!), d: BigInt(d) };
}
