// A report as Markdown for docs/results.md: byte-deterministic, since a report holds no times.
import type { Report } from '../types.ts';
import type { Table } from './cells.ts';
import { escapeMarkdown } from './escape.ts';
import { LONG, tablesOf } from './tables.ts';

/** `level`: of the headings, 2 by default. The longest tables are left to CSV and HTML. */
export function renderMarkdown(report: Report, more: readonly Table[] = [], level = 2): string {
  const parts = tablesOf(report, more).filter((table) => !LONG.has(table.id));
  return `${parts.map((table) => tableText(table, level)).join('\n\n')}\n`;
}

function tableText({ title, notes, columns, rows }: Table, level: number): string {
  const numeric = columns.map((_, i) => rows.every((row) => typeof row[i]!.value !== 'string'));
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    `${'#'.repeat(level)} ${escapeMarkdown(title)}`,
    '',
    ...notes.flatMap((note) => [escapeMarkdown(note), '']),
    line(columns.map((column) => escapeMarkdown(column.title))),
    line(numeric.map((right) => (right ? '--:' : '---'))),
    ...rows.map((row) => line(row.map((cell) => escapeMarkdown(cell.text)))),
  ].join('\n');
}
