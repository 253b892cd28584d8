// What a table is made of, and the cells that all tables share. Knows no table.
import { decimalsFor, decimalsOf, formatNumber, formatShare, formatSigned } from '../format.ts';
import type { SplitReport } from '../types.ts';

export interface Cell {
  text: string;
  value: string | number | null;
}

export interface Table {
  /** File name of its CSV, anchor of its heading. */
  id: string;
  title: string;
  /** Plain sentences above it. */
  notes: string[];
  columns: { key: string; title: string }[];
  rows: Cell[][];
}

export const word = (text: string): Cell => ({ text, value: text });
export const count = (value: number): Cell => ({ text: String(value), value });
export const share = (value: number | null): Cell => ({ text: formatShare(value), value });
export const number = (value: number | null, decimals = decimalsFor(value ?? 0)): Cell => ({
  text: formatNumber(value, decimals),
  value,
});
export const signed = (value: number | null, decimals = decimalsFor(value ?? 0)): Cell => ({
  text: formatSigned(value, decimals),
  value,
});

/** An arm with what must be said wherever it stands: that it saw the verifier, or was chosen on development scores. */
export function armText({ arms }: Pick<SplitReport, 'arms'>, name: string): string {
  const arm = arms.find((one) => one.arm === name);
  if (!arm) return name;
  const marks = [arm.label === 'oracle-fed' ? 'oracle-fed' : '', arm.note ?? ''].filter((mark) => mark !== '');
  return marks.length > 0 ? `${arm.title} [${marks.join(', ')}]` : arm.title;
}

/** Mean, lo and hi with the interval's own decimals. */
export function intervalCells(delta: { mean: number; lo: number | null; hi: number | null }): Cell[] {
  const decimals = decimalsOf(delta);
  return [signed(delta.mean, decimals), number(delta.lo, decimals), number(delta.hi, decimals)];
}

/** `key:Title`. */
export const columns = (...specs: string[]): Table['columns'] =>
  specs.map((spec) => ({ key: spec.slice(0, spec.indexOf(':')), title: spec.slice(spec.indexOf(':') + 1) }));
