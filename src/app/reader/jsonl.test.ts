import { expect, it } from 'vitest';
import { jsonLines } from './jsonl.ts';

const bytes = new TextEncoder().encode('{"a":1}\n{"b":"ü"}\n\n{"c":3}');

function inPieces(all: Uint8Array, size: number) {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < all.length; at += size) controller.enqueue(new Uint8Array(all.slice(at, at + size)));
      controller.close();
    },
  });
}

async function read(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const values: unknown[] = [];
  for await (const batch of jsonLines(stream)) values.push(...batch);
  return values;
}

it('reads lines however the bytes are cut', async () => {
  for (const size of [1, 3, 7, 1000])
    expect(await read(inPieces(bytes, size))).toEqual([{ a: 1 }, { b: 'ü' }, { c: 3 }]);
});

it('reads gzip by its first bytes', async () => {
  const zipped = new Response(inPieces(bytes, 1000).pipeThrough(new CompressionStream('gzip')));
  const all = new Uint8Array(await zipped.arrayBuffer());
  expect(await read(inPieces(all, 1000))).toEqual([{ a: 1 }, { b: 'ü' }, { c: 3 }]);
});

it('names the line that is no JSON, and a file that was cut off', async () => {
  const bad = new TextEncoder().encode('{"a":1}\n\n{"b":');
  await expect(read(inPieces(bad, 4))).rejects.toMatchObject({
    code: 'import/bad-line',
    message: expect.stringMatching(/^line 3: /),
  });
  const zipped = new Response(inPieces(bytes, 1000).pipeThrough(new CompressionStream('gzip')));
  const half = new Uint8Array(await zipped.arrayBuffer()).subarray(0, 20);
  await expect(read(inPieces(half, 7))).rejects.toMatchObject({ code: 'import/bad-gzip' });
});

it('is empty for an empty file', async () => {
  expect(await read(inPieces(new Uint8Array(), 1))).toEqual([]);
});
