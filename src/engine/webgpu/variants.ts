// Which of the kernels that compute the same op are used. What they compute differs by rounding alone. Knows no kernel.

export interface Variants {
  /** Products of many rows (linear, its gradients): tiles of workgroup memory, or registers alone. */
  readonly products: 'tiles' | 'registers';
  /** Attention and its gradients. */
  readonly attention: 'tiles' | 'registers';
  /** Rows up to which a linear layer is computed without tiles. */
  readonly few: 1 | 8;
  /** Invocations at the barriers of a row's sum. */
  readonly sums: 'wide' | 'narrow';
}

/** What is timed on a device (autotune.ts), in this order; the width of sums goes by the adapter's kind. */
export const CANDIDATES = {
  products: ['tiles', 'registers'],
  attention: ['tiles', 'registers'],
  few: [8, 1],
} as const satisfies Partial<{ [K in keyof Variants]: readonly Variants[K][] }>;
export type Tuned = keyof typeof CANDIDATES;

/** Untimed: for GPUs, and for adapters that compute on the processor, where every read and barrier is dear. */
export const USUAL: Record<'gpu' | 'software', Variants> = {
  gpu: { products: 'tiles', attention: 'tiles', few: 8, sums: 'wide' },
  software: { products: 'registers', attention: 'registers', few: 1, sums: 'narrow' },
};

/** In words, for a run's log and to be remembered. */
export const described = (variants: Variants): string =>
  Object.keys(CANDIDATES)
    .map((what) => `${what} ${variants[what as Tuned]}`)
    .join(', ');

/** The variants that `described` said, or null: others' words, or a candidate of another version. */
export function understood(words: string, usual: Variants): Variants | null {
  const found: Variants = { ...usual };
  for (const [what, candidates] of Object.entries(CANDIDATES)) {
    const [, value] = new RegExp(`(?:^|, )${what} (\\w+)`).exec(words) ?? [];
    const known = candidates.find((candidate) => String(candidate) === value);
    if (known === undefined) return null;
    Object.assign(found, { [what]: known });
  }
  return found;
}
