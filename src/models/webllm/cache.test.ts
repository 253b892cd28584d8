import { expect, test } from 'vitest';
import { checkRoom, fetchShardList, findPoisoned, folderOf, importFiles, purge, remove, sizes } from './cache.ts';
import { ENTRY, hostOf, mapCaches } from './testing.ts';

const at = (name: string) => `${ENTRY.model}/resolve/main/${name}`;

/** Caches that hold what a good host has, but for `changes` (null: not there). */
async function kept(changes: Record<string, BodyInit | null> = {}) {
  const host = hostOf();
  for (const [url, body] of Object.entries(changes)) if (body !== null) host.set(url, body);
  const caches = mapCaches(host);
  for (const [url, body] of host) {
    if (changes[url] === null) continue;
    const scope = url.endsWith('.wasm')
      ? 'webllm/wasm'
      : url.endsWith('config.json')
        ? 'webllm/config'
        : 'webllm/model';
    await (await caches.open(scope)).put(url, new Response(body));
  }
  return caches;
}

test('a model’s folder is found as WebLLM finds it', () => {
  const folder = (model: string) => folderOf({ ...ENTRY, model });
  expect(folder('https://huggingface.co/a/b')).toBe('https://huggingface.co/a/b/resolve/main/');
  expect(folder('https://huggingface.co/a/b/resolve/dev')).toBe('https://huggingface.co/a/b/resolve/dev/');
});

test('sizes: what is here, what the weights are, what is missing', async () => {
  const config = JSON.stringify({ context_window_size: 2048 }).length;
  const list = String(hostOf().get(at('tensor-cache.json'))).length;
  expect(await sizes(await kept(), ENTRY)).toEqual({ kept: config + list + 14 + 30 + 8, weights: 30, missing: 0 });
  expect(await sizes(await kept({ [at('params_shard_2.bin')]: null }), ENTRY)).toMatchObject({ missing: 20 });
  expect(await sizes(mapCaches(new Map()), ENTRY)).toEqual({ kept: 0, weights: null, missing: null });
});

const PAGE = '<!doctype html><title>Not found</title>';

test.each([
  ['a page in place of the settings', at('mlc-chat-config.json'), PAGE, 'no JSON'],
  ['a page in place of the list of shards', at('tensor-cache.json'), PAGE, 'no list of shards'],
  ['a list without shards', at('tensor-cache.json'), '{"records":[]}', 'no list of shards'],
  ['a list of something else', at('tensor-cache.json'), '{"records":[null]}', 'no list of shards'],
  ['a page in place of the tokenizer', at('tokenizer.json'), PAGE, 'no JSON'],
  ['a number in its place', at('tokenizer.json'), '4', 'no object of JSON'],
  ['a page in place of the vocabulary', at('tokenizer.model'), PAGE, 'a page of HTML'],
  ['a page in place of the library', ENTRY.model_lib, PAGE, 'no WebAssembly'],
  ['a library without a byte', ENTRY.model_lib, '', 'no WebAssembly'],
  ['half a shard', at('params_shard_2.bin'), new Uint8Array(13), '13 of 20 bytes'],
  ['an empty shard', at('params_shard_1.bin'), '', '0 of 10 bytes'],
])('%s is found, and purged alone', async (_, url, body, what) => {
  const caches = await kept({ [url]: body });
  expect(await findPoisoned(caches, ENTRY)).toEqual([expect.objectContaining({ url, what })]);
  expect(await purge(caches, ENTRY)).toHaveLength(1);
  expect(await findPoisoned(caches, ENTRY)).toEqual([]);
  const left = [...caches.scopes.values()].flatMap((scope) => [...scope.keys()]);
  expect(left.sort()).toEqual([...hostOf().keys()].filter((one) => one !== url).sort());
});

test('a sound model is left alone, a removed one leaves nothing', async () => {
  const caches = await kept();
  expect(await purge(caches, ENTRY)).toEqual([]);
  await remove(caches, ENTRY);
  expect([...caches.scopes.values()].every((scope) => scope.size === 0)).toBe(true);
});

test('the list of shards is fetched once, and a page in its place is not kept', async () => {
  const bad = mapCaches(hostOf().set(at('tensor-cache.json'), PAGE));
  await expect(fetchShardList(bad, ENTRY)).rejects.toMatchObject({ code: 'model/bad-file' });
  expect(bad.scopes.get('webllm/model')!.size).toBe(0);
  await expect(fetchShardList(mapCaches(new Map()), ENTRY)).rejects.toMatchObject({ code: 'model/offline' });
  const caches = await kept();
  caches.open('webllm/model').then((cache) => (cache.add = () => Promise.reject(new Error('asked again'))));
  await fetchShardList(caches, ENTRY);
});

test('room: what is missing against what is free; where the browser does not say, it is tried', async () => {
  const room = (missing: number | null, estimate: StorageEstimate) =>
    checkRoom({ estimate: async () => estimate }, { missing });
  await room(10, { quota: 100, usage: 90 });
  await expect(room(11, { quota: 100, usage: 90 })).rejects.toMatchObject({ code: 'storage/quota' });
  await room(11, {});
  await room(null, { quota: 1, usage: 1 });
  await checkRoom(undefined, { missing: 5 });
});

test('files of this machine stand where WebLLM looks for them; an incomplete or broken folder leaves nothing', async () => {
  const files = [...hostOf()].map(([url, body]) => new File([body as BlobPart], url.split('/').at(-1)!));
  const caches = mapCaches(new Map());
  await importFiles(caches, ENTRY, files);
  expect(await sizes(caches, ENTRY)).toMatchObject({ missing: 0 });
  expect(await findPoisoned(caches, ENTRY)).toEqual([]);

  const renamed = files.map((file) => (file.name.endsWith('.wasm') ? new File([file], 'other.wasm') : file));
  await importFiles(mapCaches(new Map()), ENTRY, renamed);

  for (const [given, code] of [
    [files.filter(({ name }) => name !== 'params_shard_1.bin'), 'model/missing'],
    [files.filter(({ name }) => !name.endsWith('.wasm')), 'model/missing'],
    [files.map((file) => (file.name === 'params_shard_1.bin' ? new File(['cut'], file.name) : file)), 'model/bad-file'],
  ] as const) {
    const none = mapCaches(new Map());
    await expect(importFiles(none, ENTRY, given)).rejects.toMatchObject({ code });
    expect([...none.scopes.values()].every((scope) => scope.size === 0)).toBe(true);
  }
});
