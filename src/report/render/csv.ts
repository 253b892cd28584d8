// One CSV file per table (RFC 4180): plain numbers at full precision, ASCII signs, UTF-8.
import { MINUS } from '../format.ts';
import type { Report } from '../types.ts';
import type { Table } from './cells.ts';
import { tablesOf } from './tables.ts';

export interface CsvFile {
  name: string;
  text: string;
}

export function renderCsv(report: Report, more: readonly Table[] = []): CsvFile[] {
  return tablesOf(report, more).map(({ id, columns, rows }) => {
    const lines = [columns.map((column) => column.key), ...rows.map((row) => row.map((cell) => cell.value))];
    return { name: `${id}.csv`, text: lines.map((line) => `${line.map(field).join(',')}\r\n`).join('') };
  });
}

/** Quoted where it must be. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
function field(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const ascii = value.replaceAll(MINUS, '-');
  const safe = /^[=+\-@\t\r]/.test(ascii) ? `'${ascii}` : ascii;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
