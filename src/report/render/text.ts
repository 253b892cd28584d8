// A report as plain text for a terminal. Control characters of untrusted text never reach it.
import type { Table } from './cells.ts';
import { printable } from './escape.ts';
import { LONG, tablesOf } from './tables.ts';
import type { Report } from '../types.ts';

/** Columns padded to equal width, numbers to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const clean = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, i) => Math.max(...clean.map((row) => [...(row[i] ?? '')].length)));
  const numeric = head.map((_, i) => rows.length > 0 && rows.every((row) => /^([+\-−–\d<]|$)/.test(row[i] ?? '')));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => {
        const gap = ' '.repeat(widths[i]! - [...cell].length);
        return numeric[i] ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  return [line(clean[0]!), widths.map((w) => '-'.repeat(w)).join('  '), ...clean.slice(1).map(line)];
}

export function renderText(report: Report, more: readonly Table[] = []): string {
  const tables = tablesOf(report, more).filter((table) => !LONG.has(table.id));
  const parts = tables.map((table) => [heading(table), ...table.notes.map(printable), ...body(table)]);
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const heading = (table: Table) => `== ${printable(table.title)} ==`;

const body = (table: Table) =>
  table.rows.length === 0
    ? []
    : textTable(
        table.columns.map((column) => column.title),
        table.rows.map((row) => row.map((cell) => cell.text)),
      );
