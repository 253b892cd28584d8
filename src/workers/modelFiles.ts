// A model's files over HTTP, checked: a host may answer with an error page, or with less than it promised.
// Knows nothing of what is in them.
import { CodedError } from '../errors.ts';
import {
  blobFile,
  isGguf,
  LAYOUT,
  modelFiles,
  readText,
  type FileSource,
  type ModelFiles,
} from '../engine/model/files.ts';
import { parseShardIndex } from '../engine/model/safetensors.ts';
import { checkManifest, MANIFEST } from '../models/manifest.ts';
import { downloadModel } from '../models/shelf/download.ts';
import { LOCAL } from '../models/shelf/put.ts';
import { Shelf } from '../models/shelf/shelf.ts';

/** Without a byte for so long a file is given up. */
const STALL_MS = 60_000;

/** What a model's name means: our folder, a folder at an address, or a GGUF file at one. */
export function modelUrl(name: string, base: string): URL {
  if (name === 'nano') return new URL('models/nano/', base);
  return new URL(name.endsWith('/') || isGguf(name) ? name : `${name}/`, base);
}

/**
 * The files of the model that `name` means: from this device's disk where they lie there; else from the page's own host;
 * else they are fetched to the disk first, and go on where a fetch was cut off.
 * Errors: model/missing, model/cut-off, model/stalled, model/offline, model/aborted, model/damaged, storage/…
 */
export async function findModel(
  name: string,
  base: string,
  options: { progress?: (loaded: number, total: number | null) => void; signal?: AbortSignal } = {},
): Promise<ModelFiles> {
  const kept = await shelved(name, base);
  if (kept) return kept;
  if (name.startsWith(LOCAL)) {
    throw new CodedError(
      'model/missing',
      `${name.slice(LOCAL.length)} is not on this device`,
      'choose its files again',
    );
  }
  const url = modelUrl(name, base);
  if (name === 'nano') return fetchShipped(url, options);
  if (url.origin === new URL(base).origin) return fetchModel(url, options);
  const { progress, signal } = options;
  const shelf = await Shelf.open();
  await downloadModel(await shelf.slot(url.href, titleOf(url)), url.href, {
    ...(signal ? { signal } : {}),
    ...(progress ? { progress: ({ loaded, total }) => progress(loaded, total) } : {}),
  });
  return (await shelf.files(url.href))!;
}

/** Our own model, held against its manifest; once more past all caches, which may have kept a file of the version before. */
async function fetchShipped(url: URL, options: FetchOptions): Promise<ModelFiles> {
  const files = await fetchModel(url, { ...options, manifest: true });
  try {
    await checkManifest(files);
    return files;
  } catch {
    const again = await fetchModel(url, { ...options, manifest: true, cache: 'reload' });
    await checkManifest(again);
    return again;
  }
}

/** A model's files on this device's disk, or null. */
export async function shelved(name: string, base: string): Promise<ModelFiles | null> {
  if (name === 'nano') return null;
  const shelf = await Shelf.open().catch(() => null);
  return (await shelf?.files(name.startsWith(LOCAL) ? name : modelUrl(name, base).href)) ?? null;
}

interface FetchOptions {
  progress?: ((loaded: number, total: number | null) => void) | undefined;
  signal?: AbortSignal;
  cache?: RequestCache;
  stallMs?: number;
  /** With the list of what was shipped. */
  manifest?: boolean;
}

const titleOf = (url: URL): string =>
  decodeURIComponent(
    url.pathname
      .replace(/\/resolve\/[^/]+\/$/, '')
      .split('/')
      .findLast((part) => part !== '') ?? url.host,
  );

/**
 * The files of a folder in Hugging Face layout (`folder` ends in `/`), sharded or not, or one GGUF file. Progress counts
 * bytes of the weights. Errors: model/missing, model/cut-off, model/stalled, model/offline, model/aborted, model/bad-file.
 */
export async function fetchModel(folder: URL, options: FetchOptions = {}): Promise<ModelFiles> {
  if (isGguf(folder.pathname)) {
    const blob = await download(folder, options);
    if (!blob) throw missing(folder);
    return modelFiles([blobFile(folder.pathname.split('/').at(-1)!, blob)]);
  }
  const quiet = { ...options, progress: undefined };
  const one = async (name: string, how: FetchOptions = quiet) => {
    const blob = await download(new URL(name, folder), how);
    return blob && blobFile(name, blob);
  };
  const must = async (name: string, how?: FetchOptions) => {
    const file = await one(name, how);
    if (!file) throw missing(new URL(name, folder));
    return file;
  };
  const weights = async () => {
    const single = await one(LAYOUT.weights, options);
    if (single) return [single];
    const index = await one(LAYOUT.index);
    if (!index) throw missing(new URL(LAYOUT.weights, folder));
    const shards = new Set(parseShardIndex(await readText(index)).values());
    // One after another: a browser opens few connections to a host, and one that only waits in line would seem stalled.
    const files: FileSource[] = [index];
    let before = 0;
    const { progress } = options;
    for (const name of shards) {
      let here = 0;
      const sum = progress && ((loaded: number) => progress(before + (here = loaded), null));
      files.push(await must(name, { ...options, progress: sum }));
      before += here;
    }
    return files;
  };
  const files = await Promise.all([
    ...LAYOUT.needed.map((name) => must(name)),
    ...LAYOUT.optional.map((name) => one(name)),
    ...(options.manifest ? [one(MANIFEST)] : []),
    weights(),
  ]);
  return modelFiles(files.flat().filter((file) => file !== null));
}

const missing = ({ href }: URL) => new CodedError('model/missing', `there is no ${href}`, 'choose another model');

/** null when the host has no such file, whether it says so or sends its start page instead. */
export async function download(url: URL, options: FetchOptions): Promise<Blob | null> {
  const { progress, signal, cache, stallMs = STALL_MS } = options;
  const stall = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stall.abort(), stallMs);
  };
  try {
    alive();
    const either = signal ? AbortSignal.any([signal, stall.signal]) : stall.signal;
    const response = await fetch(url, { signal: either, ...(cache ? { cache } : {}) });
    const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    if (response.status === 404 || (response.ok && isPage)) return null;
    if (!response.ok || !response.body) {
      throw new CodedError(
        'model/missing',
        `${url.href}: ${response.status} ${response.statusText}`,
        'try again later',
      );
    }
    // A compressed body is longer than its Content-Length.
    const declared = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
    const total = declared === null ? null : Number(declared);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let loaded = 0;
    const reader = response.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      loaded += next.value.length;
      alive();
      progress?.(loaded, total);
    }
    if (total !== null && loaded !== total) {
      throw new CodedError('model/cut-off', `${url.href}: ${loaded} of ${total} bytes came`, 'try again');
    }
    return new Blob(parts);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    if (signal?.aborted) throw new CodedError('model/aborted', 'loading was stopped');
    if (stall.signal.aborted)
      throw new CodedError('model/stalled', `${url.href}: nothing came for ${stallMs / 1000} s`, 'try again');
    throw new CodedError('model/offline', `${url.href} could not be read`, 'check the connection', String(error));
  } finally {
    clearTimeout(timer);
  }
}
