// Numbers for people: digits by the width of the interval, a real minus sign, tabular where they stand in columns.
// Data (CSV, JSON) keeps plain ASCII numbers; nothing here is read back.

export const MINUS = '−';

/** How many decimals let an interval of this width (or a value of this size) show two significant digits; 0 to 4. */
export function decimalsFor(width: number): number {
  const size = Math.abs(width);
  if (!Number.isFinite(size) || size === 0) return 1;
  return Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(size) + 1e-9)));
}

/** `−1.4`; `–` for no number. `ascii` writes `-1.4` and `-`, for terminals and data. */
export function formatNumber(value: number | null, decimals: number, ascii = false): string {
  if (value === null || !Number.isFinite(value)) return ascii ? '-' : '–';
  const text = Math.abs(value).toFixed(decimals);
  const negative = value < 0 && Number(text) !== 0;
  return `${negative ? (ascii ? '-' : MINUS) : ''}${text}`;
}

/** With a sign always, but for a value that rounds to 0: `+1.4`, `−0.3`, `0.0`. */
export function formatSigned(value: number | null, decimals: number, ascii = false): string {
  const text = formatNumber(value, decimals, ascii);
  return value !== null && value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

export interface Interval {
  mean: number;
  lo: number | null;
  hi: number | null;
}

/** Decimals for an estimate: by its interval's width, else by its size; one more where a bound would read as 0. */
export function decimalsOf({ mean, lo, hi }: Interval): number {
  if (lo === null || hi === null || !(hi > lo)) return decimalsFor(mean);
  const decimals = decimalsFor(hi - lo);
  const readsAsZero = (bound: number) => bound !== 0 && Number(bound.toFixed(decimals)) === 0;
  return decimals + Number(readsAsZero(lo) || readsAsZero(hi));
}

/** `+1.4 (95 % 0.8 to 2.1)`, or `1.4 (no interval)`. */
export function formatEstimate(value: Interval, options: { signed?: boolean; ascii?: boolean } = {}): string {
  const decimals = decimalsOf(value);
  const mean = (options.signed ? formatSigned : formatNumber)(value.mean, decimals, options.ascii);
  return `${mean} (${formatRange(value, decimals, options.ascii)})`;
}

/** `95 % 0.8 to 2.1`. */
export function formatRange({ lo, hi }: Interval, decimals: number, ascii = false): string {
  if (lo === null || hi === null) return 'no interval';
  return `95 % ${formatNumber(lo, decimals, ascii)} to ${formatNumber(hi, decimals, ascii)}`;
}

/** A share as a percentage: `97.5 %`. */
export function formatShare(value: number | null, decimals = 1, ascii = false): string {
  const text = formatNumber(value === null ? null : value * 100, decimals, ascii);
  return value === null ? text : `${text} %`;
}

/** p as in print: `0.031`, `< 0.001`. */
export function formatP(value: number | null): string {
  if (value === null) return '–';
  return value < 0.001 ? '< 0.001' : value.toFixed(3);
}

/** A count for `about N more`: two significant digits, `about 40`. */
export function roundCount(n: number): number {
  if (n < 10) return Math.ceil(n);
  const step = 10 ** (Math.floor(Math.log10(n)) - 1);
  return Math.ceil(n / step) * step;
}

/** `12,345`. */
export const formatCount = (n: number): string =>
  Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
