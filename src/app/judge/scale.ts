// The range of points that the bubbles stand on, and which values are written beside it. Knows no drawing.

/** With room at both ends; from 0 at least, to 1 where nothing was above 0. */
export function rangeOf(values: readonly number[]): { low: number; high: number } {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values) || 1;
  const room = (high - low) * 0.14;
  return { low: low - room, high: high + room };
}

/** Of the values, those that can be written without touching: `apart`, a share of the range. 0 and the ends go first. */
export function ticksOf(
  values: readonly number[],
  { low, high }: { low: number; high: number },
  apart: number,
): number[] {
  const sorted = [...new Set([...values, 0])].sort((a, b) => a - b);
  const kept: number[] = [];
  for (const value of [0, sorted.at(-1)!, sorted[0]!, ...sorted]) {
    if (kept.every((other) => Math.abs(value - other) >= apart * (high - low))) kept.push(value);
  }
  return kept.sort((a, b) => a - b);
}
