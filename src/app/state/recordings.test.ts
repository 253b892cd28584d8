import { afterEach, expect, test, vi } from 'vitest';
import { listRecordings } from './recordings.ts';

const site = (files: Record<string, Response>) =>
  vi.stubGlobal('fetch', async (url: string) => files[url] ?? new Response('', { status: 404 }));
const json = (text: string, init: ResponseInit = {}) =>
  new Response(text, { headers: { 'content-type': 'application/json' }, ...init });

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a recording is of the game that it names, or that its file is named after', async () => {
  const index = [
    { file: 'snake.jsonl.gz', title: 'a', note: '' },
    { file: 'other.jsonl', title: 'b', note: '', game: 'trust' },
    { file: 'go.jsonl', title: 'c', note: '' },
  ];
  site({ 'recordings/index.json': json(JSON.stringify(index)), 'recordings/snake.jsonl.gz': new Response('log') });
  const [snake, ...others] = await listRecordings();
  expect([snake, ...others].map((one) => one?.game)).toEqual(['snake-v1', 'trust-v1', 'go']);
  expect(await (await snake!.blob()).text()).toBe('log');
  await expect(others[0]!.blob()).rejects.toMatchObject({ code: 'import/missing' });
});

test('a site without recordings has none; one that fails says so', async () => {
  site({});
  expect(await listRecordings()).toEqual([]);
  site({ 'recordings/index.json': new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }) });
  expect(await listRecordings()).toEqual([]);
  site({ 'recordings/index.json': json('busy', { status: 503 }) });
  await expect(listRecordings()).rejects.toMatchObject({
    code: 'import/refused',
    message: expect.stringMatching(/503/),
  });
  site({ 'recordings/index.json': json('[{') });
  await expect(listRecordings()).rejects.toMatchObject({ code: 'import/recordings' });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(listRecordings()).rejects.toMatchObject({ code: 'import/offline' });
});
