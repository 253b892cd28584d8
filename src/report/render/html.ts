// A report as one HTML file that needs nothing else: tables, charts, both colour schemes. All text is escaped, since a
// log may come from anyone; no script, and a policy that would forbid one.
import type { Report } from '../types.ts';
import { chart } from './chart.ts';
import type { Cell, Table } from './cells.ts';
import { escapeHtml } from './escape.ts';
import { STYLE } from './style.ts';
import { tablesOf } from './tables.ts';

export function renderHtml(report: Report, more: readonly Table[] = []): string {
  const tables = tablesOf(report, more);
  const [verdicts, ...rest] = tables;
  const charts = report.games.flatMap((game) =>
    game.splits.map((split) => {
      const drawn = chart(split, game.scoreUnit);
      const title = `${game.title}${split.split === 'strict' ? '' : `, ${split.split}`}`;
      return drawn === '' ? '' : `<figure><figcaption>${escapeHtml(title)}</figcaption>${drawn}</figure>`;
    }),
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>S³Gym Playground: report</title><style>${STYLE}</style></head><body><main>`,
    '<h1>Can it get better from its own tests and judgements?</h1>',
    verdicts ? tableHtml(verdicts) : '<p>Nothing was measured yet.</p>',
    ...charts,
    ...rest.map(tableHtml),
    `<p class="mute">Model ${escapeHtml(report.model)}, preset ${report.preset}, run seeds ${report.runSeeds.join(', ')}.</p>`,
    '</main></body></html>\n',
  ].join('\n');
}

function tableHtml({ id, title, notes, columns, rows }: Table): string {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column.title)}</th>`).join('');
  return [
    `<section id="${escapeHtml(id)}"><h2>${escapeHtml(title)}</h2>`,
    ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
    `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>`,
    ...rows.map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`),
    '</tbody></table></div></section>',
  ].join('\n');
}

const cellHtml = ({ text, value }: Cell) => {
  const kind = typeof value !== 'string' ? ' class="n"' : text.length > 48 ? ' class="long"' : '';
  return `<td${kind}>${escapeHtml(text)}</td>`;
};
