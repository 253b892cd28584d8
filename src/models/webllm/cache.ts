// WebLLM's files in this browser's CacheStorage: what is there and how large, what is broken, and how to be rid of it.
// WebLLM keeps whatever a host sends, an error page or half a file, and reads it at every try: so contents are looked at
// here. It hashes nothing, and neither is that done here; its list of shards names their lengths. Knows no engine.
import { CodedError } from '../../errors.ts';
import type { Entry } from './api.ts';

/** The parts of the platform's that are used, so that a map can stand in their place. */
export interface Caches {
  open(scope: string): Promise<Scope>;
}
export interface Scope {
  match(url: string): Promise<Response | undefined>;
  add(url: string): Promise<void>;
  put(url: string, response: Response): Promise<void>;
  delete(url: string): Promise<boolean>;
}
export type Storage = Partial<Pick<StorageManager, 'estimate' | 'persist' | 'persisted'>>;

/** Scopes of WebLLM 0.2.86. */
const [CONFIG, MODEL, LIBRARY] = ['webllm/config', 'webllm/model', 'webllm/wasm'] as const;

interface Kept {
  scope: string;
  url: string;
  /** null: fine; else what is wrong with it. */
  check(response: Response): Promise<string | null>;
}

export interface Poisoned {
  scope: string;
  url: string;
  what: string;
}

export interface Sizes {
  /** Bytes here. */
  kept: number;
  /** Bytes of all weights, and of those that are not here; null while the list of them is not. */
  weights: number | null;
  missing: number | null;
}

/** As WebLLM makes it: without a branch, it is `main`. */
export const folderOf = ({ model }: Entry): string => {
  const folder = model.endsWith('/') ? model : `${model}/`;
  return new URL(/.+\/resolve\/.+\//.test(folder) ? folder : `${folder}resolve/main/`).href;
};

const addresses = (entry: Entry) => {
  const at = (name: string) => new URL(name, folderOf(entry)).href;
  return {
    config: { scope: CONFIG, url: at('mlc-chat-config.json'), check: isObject },
    shards: { scope: MODEL, url: at('tensor-cache.json'), check: listsShards },
    tokenizer: { scope: MODEL, url: at('tokenizer.json'), check: isObject },
    vocabulary: { scope: MODEL, url: at('tokenizer.model'), check: isNoPage },
    library: { scope: LIBRARY, url: entry.model_lib, check: isWasm },
  } satisfies Record<string, Kept>;
};

/** Everything of the model that may be here. */
async function filesOf(caches: Caches, entry: Entry): Promise<Kept[]> {
  return [...Object.values(addresses(entry)), ...((await shardsOf(caches, entry)) ?? [])];
}

async function shardsOf(caches: Caches, entry: Entry): Promise<(Kept & { bytes: number })[] | null> {
  const list = await textOf(caches, entry, 'shards');
  const shards = list === null ? null : readShards(list);
  return (
    shards?.map(({ dataPath, nbytes }) => ({
      scope: MODEL,
      url: new URL(dataPath, folderOf(entry)).href,
      bytes: nbytes,
      check: async (response) => {
        const { size } = await response.blob();
        return size === nbytes ? null : `${size} of ${nbytes} bytes`;
      },
    })) ?? null
  );
}

/** A text file of the model; null where it is not here. */
export async function textOf(
  caches: Caches,
  entry: Entry,
  name: 'config' | 'shards' | 'tokenizer',
): Promise<string | null> {
  const { scope, url } = addresses(entry)[name];
  return (await (await caches.open(scope)).match(url))?.text() ?? null;
}

/** What is kept of the model and cannot be what it should be. */
export async function findPoisoned(caches: Caches, entry: Entry): Promise<Poisoned[]> {
  const found: Poisoned[] = [];
  for (const { scope, url, check } of await filesOf(caches, entry)) {
    const response = await (await caches.open(scope)).match(url);
    const what = response ? await check(response) : null;
    if (what !== null) found.push({ scope, url, what });
  }
  return found;
}

/** Deletes what is broken, so that it is loaded again; says what it was. */
export async function purge(caches: Caches, entry: Entry): Promise<Poisoned[]> {
  const found = await findPoisoned(caches, entry);
  for (const { scope, url } of found) await (await caches.open(scope)).delete(url);
  return found;
}

/** Fetches the list of shards, if it is not here: WebLLM would do the same next. Errors: model/offline, model/bad-file. */
export async function fetchShardList(caches: Caches, entry: Entry): Promise<void> {
  const { scope, url, check } = addresses(entry).shards;
  const cache = await caches.open(scope);
  if (await cache.match(url)) return;
  try {
    await cache.add(url);
  } catch (error) {
    throw new CodedError(
      'model/offline',
      `${url} could not be read`,
      'check the connection and the address',
      String(error),
    );
  }
  const what = await check((await cache.match(url))!);
  if (what === null) return;
  await cache.delete(url);
  throw new CodedError('model/bad-file', `${url}: ${what}`, 'the host sends something else in its place');
}

export async function sizes(caches: Caches, entry: Entry): Promise<Sizes> {
  const shards = await shardsOf(caches, entry);
  let kept = 0;
  let missing = 0;
  for (const { scope, url } of await filesOf(caches, entry)) {
    const response = await (await caches.open(scope)).match(url);
    if (response) kept += (await response.blob()).size;
    else missing += shards?.find((shard) => shard.url === url)?.bytes ?? 0;
  }
  const weights = shards?.reduce((sum, { bytes }) => sum + bytes, 0) ?? null;
  return { kept, weights, missing: shards && missing };
}

/** Deletes all of a model. A compiled library that another model shares is fetched again for that one. */
export async function remove(caches: Caches, entry: Entry): Promise<void> {
  const files = await filesOf(caches, entry);
  for (const { scope, url } of files) await (await caches.open(scope)).delete(url);
}

/**
 * Puts a model's files from this machine where WebLLM looks for those of `entry`, for a machine without a network: those
 * of its folder, and its compiled library (.wasm). Errors: model/missing, model/bad-file (nothing is kept then).
 */
export async function importFiles(caches: Caches, entry: Entry, files: readonly File[]): Promise<void> {
  const named = new Map(files.map((file) => [file.name, file]));
  const put = async ({ scope, url }: Pick<Kept, 'scope' | 'url'>, file: File | undefined, needed: boolean) => {
    if (file) return (await caches.open(scope)).put(url, new Response(file));
    if (needed)
      throw new CodedError('model/missing', `${lastPart(url)} is not among the files`, 'give the whole folder');
  };
  const { config, shards, tokenizer, vocabulary, library } = addresses(entry);
  try {
    for (const file of [config, shards]) await put(file, named.get(lastPart(file.url)), true);
    for (const file of [tokenizer, vocabulary]) await put(file, named.get(lastPart(file.url)), false);
    await put(library, named.get(lastPart(library.url)) ?? files.find(({ name }) => name.endsWith('.wasm')), true);
    for (const shard of (await shardsOf(caches, entry)) ?? []) await put(shard, named.get(lastPart(shard.url)), true);
    const [broken] = await findPoisoned(caches, entry);
    if (broken)
      throw new CodedError('model/bad-file', `${lastPart(broken.url)}: ${broken.what}`, 'copy the file again');
  } catch (error) {
    await remove(caches, entry);
    throw error;
  }
}

/** Whether what is missing has room here. Errors: storage/quota. */
export async function checkRoom(storage: Storage | undefined, { missing }: Pick<Sizes, 'missing'>): Promise<void> {
  const { quota, usage } = (await storage?.estimate?.()) ?? {};
  if (quota === undefined || usage === undefined || missing === null) return;
  const free = quota - usage;
  if (missing <= free) return;
  const mb = (bytes: number) => `${Math.ceil(Math.max(0, bytes) / 2 ** 20)} MB`;
  throw new CodedError(
    'storage/quota',
    `the model takes ${mb(missing)} more, this browser has room for ${mb(free)}`,
    'delete models that are no longer used, or free space on this machine',
  );
}

const lastPart = (url: string) => decodeURIComponent(new URL(url).pathname.split('/').at(-1)!);

async function isObject(response: Response): Promise<string | null> {
  try {
    const value: unknown = await response.json();
    return typeof value === 'object' && value !== null ? null : 'no object of JSON';
  } catch {
    return 'no JSON';
  }
}

const listsShards = async (response: Response): Promise<string | null> =>
  readShards(await response.text()) ? null : 'no list of shards';

async function isWasm(response: Response): Promise<string | null> {
  const head = new Uint8Array(await (await response.blob()).slice(0, 4).arrayBuffer());
  return String.fromCharCode(...head) === '\0asm' ? null : 'no WebAssembly';
}

async function isNoPage(response: Response): Promise<string | null> {
  const head = await (await response.blob()).slice(0, 32).text();
  return /^\s*<(?:!doctype|html)/i.test(head) ? 'a page of HTML' : null;
}

function readShards(text: string): { dataPath: string; nbytes: number }[] | null {
  try {
    const { records } = JSON.parse(text) as { records?: unknown };
    if (!Array.isArray(records) || records.length === 0) return null;
    const fine = records.every(
      (one: { dataPath?: unknown; nbytes?: unknown }) =>
        typeof one?.dataPath === 'string' && typeof one.nbytes === 'number',
    );
    return fine ? (records as { dataPath: string; nbytes: number }[]) : null;
  } catch {
    return null;
  }
}
