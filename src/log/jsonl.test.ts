import { expect, test } from 'vitest';
import { smallLog } from '../../test/faults/log.ts';
import { hashBytes } from '../hash.ts';
import type { RunEvent } from './events.ts';
import { blobLines, readEvents, readLog, serialise } from './jsonl.ts';

const log = smallLog();
const lines = log.map(serialise);
const file = `${lines.join('\n')}\n`;
const withLine = (n: number, text: string) => lines.map((line, i) => (i === n ? text : line)).join('\n');
const failure = async (source: Parameters<typeof readLog>[0], options = {}) => {
  const error = await readEvents(source, options).then(
    () => null,
    (error: unknown) => error,
  );
  const { code, message } = error as { code: string; message: string };
  return `${code}: ${message}`;
};

test('what was written is read again, whole or in pieces', async () => {
  expect(await readEvents(file)).toEqual(log);
  const bytes = new TextEncoder().encode(file);
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  };
  expect(await readEvents(pieces())).toEqual(log);
  expect(await readEvents(new Blob([file]))).toEqual(log);
  expect(await readEvents(new Blob([file]).stream())).toEqual(log);
});

test('a gzip file is read by its first bytes, however it arrives; a broken one is refused', async () => {
  const packed = new Uint8Array(
    await new Response(new Blob([file]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer(),
  );
  expect(await readEvents(new Blob([packed]))).toEqual(log);
  for (const size of [1, 7, 1000]) {
    const pieces = async function* () {
      for (let at = 0; at < packed.length; at += size) yield packed.subarray(at, at + size);
    };
    expect(await readEvents(pieces())).toEqual(log);
  }
  expect(await failure(new Blob([packed.slice(0, -20)]))).toContain('import/bad-gzip');
  expect(await failure(new Blob([new Uint8Array([0x1f, 0x8b, 0xff, 0xfe])]))).toContain('import/bad-gzip');
});

test('the text of an event does not depend on the order of its keys', () => {
  const event = log[1]!;
  const reversed = Object.fromEntries(Object.entries(event).reverse()) as RunEvent;
  expect(serialise(reversed)).toBe(lines[1]);
  expect(lines[1]).toMatch(/^\{"type":"episode","n":1,"prev":"[0-9a-f]{64}","adapter":null,/);
  expect(() => serialise({ ...event, score: Number.NaN } as RunEvent)).toThrow(/cannot hold NaN/);
});

test('byte order mark, CRLF, blank lines and a missing last newline are no faults', async () => {
  expect(await readEvents(`\uFEFF${lines.join('\r\n\r\n')}`)).toEqual(log);
  expect(await readEvents(new Blob([`\uFEFF${file}\n\n`]))).toEqual(log);
});

test('fields that others add are kept, because the hash holds them', async () => {
  const alone = JSON.stringify({ ...log[0], note: 'from elsewhere' });
  expect(await readEvents(alone)).toEqual([{ ...log[0], note: 'from elsewhere' }]);
});

test.each([
  ['empty', '', 'import/not-a-log: not a log of a run: the file is empty'],
  ['HTML', '<!doctype html>\n<p>Not found', 'import/not-a-log: not a log of a run: line 1 is not JSON'],
  ['other JSON', '{"a":1}', 'import/not-a-log: not a log of a run: line 1 is not run.opened'],
  ['an array', '[]', 'import/not-a-log: not a log of a run: line 1 is not run.opened'],
  ['no first line', lines.slice(1).join('\n'), 'import/not-a-log'],
  [
    'a later format',
    withLine(0, lines[0]!.replace('"format":1', '"format":2')),
    'import/version: this log has format 2',
  ],
  ['cut JSON', withLine(2, lines[2]!.slice(0, 80)), 'import/bad-line: line 3: '],
  ['a wrong type', withLine(2, lines[2]!.replace('"reward":0.5', '"reward":"0.5"')), 'line 3: steps.0.reward'],
  ['NaN', withLine(2, lines[2]!.replace('"reward":0.5', '"reward":NaN')), 'import/bad-line: line 3'],
  ['1e999', withLine(0, lines[0]!.replace('"preset":"pocket"', '"preset":1e999')), 'import/not-a-log'],
  ['an infinite number', withLine(4, lines[4]!.replace('1.5', '1e999')), 'line 5: a number that is not finite'],
  ['an unknown type', withLine(2, '{"type":"joke","n":2,"prev":null}'), 'import/bad-line: line 3'],
  ['__proto__', withLine(4, lines[4]!.replace('"ledger":{}', '"ledger":{"__proto__":{"x":1}}')), '__proto__'],
  ['a changed value', withLine(2, lines[2]!.replace('"reward":0.5', '"reward":1')), 'import/bad-chain: line 4'],
  ['a dropped line', lines.toSpliced(2, 1).join('\n'), 'import/bad-chain: line 3: n is 3, expected 2'],
  ['a doubled line', lines.toSpliced(2, 0, lines[1]!).join('\n'), 'import/bad-chain: line 3: n is 1, expected 2'],
  ['swapped lines', [lines[0], lines[2], lines[1]].join('\n'), 'import/bad-chain: line 2'],
])('%s is refused by name', async (_, text, message) => {
  expect(await failure(text)).toContain(message);
});

test('deep nesting, endless lines and bytes that are no text are refused without harm', async () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  expect(await failure(withLine(4, lines[4]!.replace('"ledger":{}', `"ledger":${deep}`)))).toMatch(/line 5/);
  let sent = 0;
  const endless = async function* () {
    for (;;) {
      sent += 1;
      yield 'x'.repeat(10_000);
    }
  };
  expect(await failure(endless(), { longestLine: 100_000 })).toContain('import/too-large: line 1 is longer');
  expect(sent).toBeLessThan(15);
  expect(await failure(new Blob([new Uint8Array([0x7b, 0xff, 0xfe])]))).toContain('line 1 is not UTF-8');
});

test('a line that a crash cut off is passed on when asked for, and only at the end', async () => {
  const torn: number[] = [];
  const text = file.slice(0, -20);
  expect(await failure(text)).toContain('line 5');
  expect(await readEvents(text, { onTorn: ({ number }: { number: number }) => torn.push(number) })).toEqual(
    log.slice(0, 4),
  );
  expect(torn).toEqual([5]);
});

test('blobs follow the events, in parts, and are checked', async () => {
  const bytes = new Uint8Array(2_000_000).map((_, i) => (i * i) >> 3);
  const hash = hashBytes(bytes);
  const parts = [...blobLines(hash, bytes), ...blobLines(hashBytes(new Uint8Array()), new Uint8Array())];
  expect(parts.length).toBe(4);
  const items = [];
  for await (const item of readLog(file + parts.join('\n'))) if (item.kind === 'blob') items.push(item);
  expect(items.map((item) => item.bytes.length)).toEqual([2_000_000, 0]);
  expect(hashBytes(items[0]!.bytes)).toBe(hash);
  expect(await readEvents(file + parts.join('\n'))).toEqual(log);
  expect(await failure(file + parts.slice(0, 2).join('\n'))).toContain('import/bad-blob: the file ends within');
  expect(await failure(file + [parts[1], parts[0]].join('\n'))).toContain('line 6: part 1 of 3');
  expect(await failure(file + parts.join('\n').replaceAll(hash, 'a'.repeat(64)))).toContain('import/bad-blob');
  expect(await failure(`${file}${parts.join('\n')}\n${lines[4]}`)).toContain('line 10: an event after the blobs');
});
