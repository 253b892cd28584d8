import { afterEach, expect, test } from 'vitest';
import { cutStream, fakeHost, file, stalled, startPage, type Answer } from '../../test/faults/fetch.ts';
import { memoryFile, modelFiles, readText } from '../engine/model/files.ts';
import { makeManifest } from '../models/manifest.ts';
import { fetchModel, findModel } from './modelFiles.ts';

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

test('shards are fetched by their index', async () => {
  const index = JSON.stringify({
    weight_map: { a: 'model-1.safetensors', b: 'model-2.safetensors', c: 'model-1.safetensors' },
  });
  const seen: unknown[] = [];
  const progress = (...said: unknown[]) => seen.push(said);
  const sharded = {
    ...{ '/model.safetensors': startPage, '/model.safetensors.index.json': file(index) },
    ...{ '/model-1.safetensors': file('one'), '/model-2.safetensors': file('twos') },
  };
  const files = await from(sharded, { progress });
  expect(seen).toEqual([
    [3, null],
    [7, null],
  ]);
  expect(await Promise.all([1, 2].map((i) => readText(files.get(`model-${i}.safetensors`)!)))).toEqual(['one', 'twos']);
  const lacking = { '/model.safetensors': startPage, '/model.safetensors.index.json': file(index) };
  await expect(from({ ...lacking, '/model-1.safetensors': file('one') })).rejects.toMatchObject({
    code: 'model/missing',
  });
});

test('a host that falls silent is given up', async () => {
  await expect(from({ '/model.safetensors': stalled }, { stallMs: 30 })).rejects.toMatchObject({
    code: 'model/stalled',
  });
});

test('loading can be stopped', async () => {
  const controller = new AbortController();
  const loading = from({ '/model.safetensors': stalled }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await expect(loading).rejects.toMatchObject({ code: 'model/aborted' });
});

test('nano comes with its manifest; a damaged file is fetched once more past the caches, then refused', async () => {
  const texts = { 'config.json': '{"a":1}', 'tokenizer.json': '{}', 'model.safetensors': 'weights' };
  const manifest = await makeManifest(modelFiles(Object.entries(texts).map((one) => memoryFile(...one))));
  const asked: (RequestCache | undefined)[] = [];
  const weights =
    (answers: string[]): Answer =>
    (_, init) => {
      asked.push(init?.cache);
      return new Response(answers.length > 1 ? answers.shift() : answers[0]);
    };
  const open = (answers: string[]) => {
    restore = fakeHost({ ...good, '/manifest.json': file(manifest), '/model.safetensors': weights(answers) });
    return findModel('nano', 'https://example.org/');
  };
  expect((await open(['weights'])).size).toBe(4);
  expect(await readText((await open(['weighty', 'weights'])).get('model.safetensors')!)).toBe('weights');
  await expect(open(['weighty'])).rejects.toMatchObject({ code: 'model/damaged' });
  expect(asked).toEqual([undefined, undefined, 'reload', undefined, 'reload']);
});
