// Makes a report's bytes the same on every machine: 12 significant digits (engines differ in the last bits of atan and
// of sums), no -0, no NaN. Knows nothing of what the numbers mean.

const DIGITS = 12;

/** 0.1 + 0.2 becomes 0.3; what is no finite number becomes null. */
export function tidyNumber(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  if (Number.isInteger(value)) return value === 0 ? 0 : value;
  const rounded = Number(value.toPrecision(DIGITS));
  // Sums of differences leave crumbs where the exact value is 0.
  return Math.abs(rounded) < 1e-13 ? 0 : rounded;
}

/** A deep copy with tidy numbers; undefined fields are left out. */
export function tidy<T>(value: T): T {
  if (typeof value === 'number') return tidyNumber(value) as T;
  if (Array.isArray(value)) return value.map(tidy) as T;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, tidy(item)])) as T;
  }
  return value;
}
