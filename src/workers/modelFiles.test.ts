import { afterEach, expect, test } from 'vitest';
import { cutStream, fakeHost, file, stalled, startPage, type Answer } from '../../test/faults/fetch.ts';
import { readText } from '../engine/model/files.ts';
import { fetchModel } from './modelFiles.ts';

const folder = new URL('https://example.org/models/nano/');
const good = {
  '/config.json': file('{"a":1}'),
  '/tokenizer.json': file('{}'),
  '/model.safetensors': file('weights'),
  '/tokenizer_config.json': startPage,
};
let restore = () => {};
afterEach(() => restore());
const from = (answers: Record<string, Answer>, options = {}) => {
  restore = fakeHost({ ...good, ...answers });
  return fetchModel(folder, options);
};

test('the files of a folder; what is optional may be missing, in whatever way a host says so', async () => {
  const seen: number[] = [];
  const files = await from({}, { progress: (loaded: number, total: number) => seen.push(loaded, total) });
  expect([...files.keys()].sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
  expect(await readText(files.get('config.json')!)).toBe('{"a":1}');
  expect(seen).toEqual([7, 7]);
});

test.each([
  ['a start page instead of weights', { '/model.safetensors': startPage }, 'model/missing'],
  ['no weights', { '/model.safetensors': () => new Response('', { status: 404 }) }, 'model/missing'],
  ['a host in trouble', { '/config.json': () => new Response('', { status: 503 }) }, 'model/missing'],
  ['a body that ends early', { '/model.safetensors': cutStream(10, 20) }, 'model/cut-off'],
  ['a body that breaks', { '/model.safetensors': cutStream(10, 20, 'breaks') }, 'model/offline'],
  ['no connection', { '/config.json': () => Promise.reject(new TypeError('fetch failed')) }, 'model/offline'],
])('%s', async (_, answers, code) => {
  await expect(from(answers as Record<string, Answer>)).rejects.toMatchObject({ code });
});

test('loading can be stopped', async () => {
  const controller = new AbortController();
  const loading = from({ '/model.safetensors': stalled }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await expect(loading).rejects.toMatchObject({ code: 'model/aborted' });
});
