// What a table is made of, and the cells that all tables share. Knows no table.
import { decimalsFor, decimalsOf, formatNumber, formatShare, formatSigned } from '../format.ts';
import { labelOf, marked, marksOf, titleOf } from '../arms.ts';
import type { ArmReport, SplitReport } from '../types.ts';

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

type Arms = Pick<SplitReport, 'arms'>;

const armOf = ({ arms }: Arms, name: string): Pick<ArmReport, 'title' | 'label' | 'note'> =>
  arms.find(({ arm }) => arm === name) ?? { title: titleOf(name), label: labelOf(name), note: null };

/** An arm with what must be said wherever it stands; one that has not been measured yet, too. */
export function armText(split: Arms, name: string): string {
  const arm = armOf(split, name);
  return marked(arm.title, marksOf(arm));
}

/** A sentence about arms, with what must be said of each of them. */
export function sentenceText(split: Arms, sentence: string, names: readonly string[]): string {
  const marks = names.map((name) => marksOf(armOf(split, name))).filter((mark) => mark !== '');
  return marked(sentence, [...new Set(marks)].join(', '));
}

/** Mean, lo and hi with the interval's own decimals. */
export function intervalCells(delta: { mean: number; lo: number | null; hi: number | null }): Cell[] {
  const decimals = decimalsOf(delta);
  return [signed(delta.mean, decimals), number(delta.lo, decimals), number(delta.hi, decimals)];
}

/** `key:Title`. */
export const columns = (...specs: string[]): Table['columns'] =>
  specs.map((spec) => ({ key: spec.slice(0, spec.indexOf(':')), title: spec.slice(spec.indexOf(':') + 1) }));
