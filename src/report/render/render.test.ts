import { describe, expect, test } from 'vitest';
import { syntheticContext, syntheticRun } from '../../../test/synthetic.ts';
import { fold } from '../fold.ts';
import { armText } from './cells.ts';
import { chart } from './chart.ts';
import { renderCsv } from './csv.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { tablesOf } from './tables.ts';
import { renderText, textTable } from './text.ts';

const arms = [
  { name: 'frozen' },
  { name: 'history', effect: 0 },
  { name: 'training', effect: 2 },
  { name: 'training@oracle-judge', effect: 3, label: 'oracle-fed' as const },
];
const report = fold(syntheticRun(1, { arms }), syntheticContext);

const evil = `<script>alert(1)</script>"'|\`[x](javascript:1)\u001b[31m\u202e`;
const hostile = fold(
  syntheticRun(1, { arms: [{ name: 'frozen' }, { name: `=cmd${evil}`, note: evil }], games: [evil], strict: 3 }),
  { facts: () => null, baselines: () => null },
);

test('every row has a cell for every column', () => {
  for (const table of [...tablesOf(report), ...tablesOf(hostile)]) {
    for (const row of table.rows) expect(row.length, table.id).toBe(table.columns.length);
    expect(new Set(table.columns.map((column) => column.key)).size).toBe(table.columns.length);
  }
});

test('wherever an arm is read, what must be said of it stands beside it', () => {
  const named = [
    { name: 'frozen' },
    { name: 'frozen-sharp', note: 'dev-selected' },
    { name: 'history' },
    { name: 'history@blocks' },
    { name: 'training' },
    { name: 'training@oracle-judge', effect: 3, label: 'oracle-fed' as const },
  ];
  const labelled = fold(syntheticRun(1, { arms: named }), syntheticContext);
  const [game] = labelled.games;
  const drawn = [...chart(game!.splits[0]!, 'apples').matchAll(/class="label[^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(drawn.sort()).toEqual([
    'Frozen',
    'Frozen, sharp [dev-selected]',
    'History',
    'History (blocks)',
    'Training',
    'Training (oracle judge) [oracle-fed]',
  ]);
  const text = renderText(labelled);
  for (const line of text.split('\n')) {
    expect(line).not.toContain('@');
    if (/oracle judge\)|its judge: with true/.test(line)) expect(line).toContain('[oracle-fed]');
    if (line.includes('Frozen, sharp')) expect(line).toContain('[dev-selected]');
    if (line.includes('History (blocks): ')) expect(line).not.toMatch(/ oracle /);
  }
  expect(text).toContain('The bottleneck of training is its judge');
});

test('an arm that has not been measured yet is told by its name', () => {
  expect(armText({ arms: [] }, 'summary@oracle-guidance')).toBe('Summary (oracle guidance) [oracle-fed]');
  expect(armText({ arms: [] }, 'history@blocks')).toBe('History (blocks)');
});

describe('text', () => {
  test('the verdict stands first, in words', () => {
    const text = renderText(report);
    expect(text.indexOf('Training: +')).toBeGreaterThan(0);
    expect(text).toContain('A demonstration: 1 run seed; six or more would make a claim.');
    expect(text).toContain('Training (oracle judge) [oracle-fed]');
  });

  test('no control character of a log reaches the terminal', () => {
    // eslint-disable-next-line no-control-regex
    expect(renderText(hostile)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  test('numbers stand to the right', () => {
    expect(
      textTable(
        ['a', 'n'],
        [
          ['x', '1'],
          ['yy', '−10'],
        ],
      ),
    ).toEqual(['a     n', '--  ---', 'x     1', 'yy  −10']);
  });
});

describe('CSV', () => {
  test('plain numbers, one file per table', () => {
    const files = renderCsv(report);
    const curves = files.find((file) => file.name === 'curves.csv')!.text.split('\r\n');
    expect(curves[0]).toBe('game,split,arm,x,mean,lo,hi,n,normalised,note');
    expect(curves[1]).toMatch(/^snake,strict,Frozen,0,\d\.\d+,\d\.\d+,\d\.\d+,30,\d\.\d+,$/);
    expect(files.every((file) => !file.text.includes('−'))).toBe(true);
  });

  test('quotes are doubled, formulas are disarmed', () => {
    const all = renderCsv(hostile)
      .map((file) => file.text)
      .join('');
    expect(all).not.toMatch(/(^|,|\n)"?=/);
    expect(all).toContain('""');
  });
});

describe('Markdown and HTML', () => {
  test('the same report gives the same bytes', () => {
    const again = fold(syntheticRun(1, { arms }), syntheticContext);
    expect(renderMarkdown(again)).toBe(renderMarkdown(report));
    expect(renderHtml(again)).toBe(renderHtml(report));
  });

  test('nothing of a log becomes markup', () => {
    const html = renderHtml(hostile);
    expect(html).not.toContain('<script');
    expect(html).not.toContain("'|`[");
    const markdown = renderMarkdown(hostile);
    expect(markdown).not.toContain('<script');
    expect(markdown).not.toMatch(/[^\\]\[x\]\(/);
    for (const line of markdown.split('\n').filter((l) => l.startsWith('|'))) expect(line.endsWith('|')).toBe(true);
  });

  test('HTML draws a line and a band per arm, needs no other file and runs no script', () => {
    const html = renderHtml(report);
    expect(html.match(/<polyline/g)).toHaveLength(4);
    expect(html.match(/<polygon/g)).toHaveLength(4);
    expect(html).toContain('random</text>');
    expect(html).not.toMatch(/<script|src=|href=|url\(/);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('an empty report renders', () => {
    const empty = fold(syntheticRun(1).slice(0, 1), syntheticContext);
    expect(renderHtml(empty)).toContain('Nothing was measured yet');
    expect(renderText(empty)).not.toContain('NaN');
    expect(renderMarkdown(empty)).toBe('\n');
  });
});
