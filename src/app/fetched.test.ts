import { afterEach, expect, test, vi } from 'vitest';
import { fetched, piecesOf } from './fetched.ts';

const answer = (response: () => Response | Promise<never>) => vi.stubGlobal('fetch', async () => response());

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  [404, 'import/missing'],
  [500, 'import/refused'],
])('an answer of %i is no file', async (status, code) => {
  answer(() => new Response('sorry', { status }));
  await expect(fetched('a.json')).rejects.toMatchObject({ code, hint: expect.stringMatching(/./) });
});

test('a connection that fails, before the first byte or after it, says so', async () => {
  answer(() => Promise.reject(new TypeError('Failed to fetch')));
  await expect(fetched('a.json')).rejects.toMatchObject({ code: 'import/offline' });
  let sent = false;
  const body = new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError('network error'));
      else controller.enqueue(new Uint8Array([1, 2]));
      sent = true;
    },
  });
  answer(() => new Response(body));
  const seen: Uint8Array[] = [];
  const read = async () => {
    for await (const piece of piecesOf('a.jsonl')) seen.push(piece);
  };
  await expect(read()).rejects.toMatchObject({
    code: 'import/offline',
    detail: expect.stringMatching(/network error/),
  });
  expect(seen).toEqual([new Uint8Array([1, 2])]);
});
