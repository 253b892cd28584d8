// A model's files from an address to the shelf: it goes on where it was cut off, and keeps nothing that is not what it
// should be. Knows where Hugging Face's layout puts what; parses no weights.
import { CodedError } from '../../errors.ts';
import { blobFile, isGguf, LAYOUT, type FileSource } from '../../engine/model/files.ts';
import { readGgufHeader } from '../../engine/model/gguf/header.ts';
import { parseShardIndex, readHeader } from '../../engine/model/safetensors.ts';
import type { FileLabel, Slot } from './shelf.ts';

export interface DownloadProgress {
  /** Bytes of all files so far, of how many; null: a host did not say. */
  loaded: number;
  total: number | null;
  /** Bytes a second over the last seconds; null: too early to tell. */
  rate: number | null;
  secondsLeft: number | null;
}

export interface DownloadOptions {
  fetch?: typeof fetch;
  signal?: AbortSignal;
  progress?: (progress: DownloadProgress) => void;
  /** Without a byte for so long it is given up; what is here stays. */
  stallMs?: number;
  now?: () => number;
}

/**
 * All files of the model at `address`: one GGUF file, or a folder (it ends in `/`) in Hugging Face's layout, sharded or
 * not. Errors: model/missing, model/cut-off, model/stalled, model/offline, model/aborted, model/bad-file, storage/…
 */
export async function downloadModel(slot: Slot, address: string, options: DownloadOptions = {}): Promise<void> {
  const meter = new Meter(options);
  const one = (name: string) => downloadFile(slot, name, new URL(name, address).href, meter, options);
  const must = async (name: string) => {
    if (!(await one(name))) throw missing(new URL(name, address).href);
  };
  if (isGguf(new URL(address).pathname)) {
    const name = decodeURIComponent(address.split('/').at(-1)!);
    if (!(await downloadFile(slot, name, address, meter, options))) throw missing(address);
  } else {
    for (const name of LAYOUT.needed) await must(name);
    for (const name of LAYOUT.optional) await one(name);
    if (!(await one(LAYOUT.weights))) {
      await must(LAYOUT.index);
      const index = await (await slot.read(LAYOUT.index))!.text();
      for (const name of new Set(parseShardIndex(index).values())) await must(name);
    }
  }
  await slot.complete();
}

/** false: the host has no such file, whether it says so or sends its start page instead. */
async function downloadFile(
  slot: Slot,
  name: string,
  url: string,
  meter: Meter,
  options: DownloadOptions,
): Promise<boolean> {
  const known = slot.known(name);
  const here = (await slot.read(name))?.size ?? 0;
  if (known && here > 0 && here === known.bytes) {
    // Cut off between the last byte and the note that it came: not checked yet.
    if (!known.done) await checked(slot, name, known);
    meter.has(here, here);
    return true;
  }
  const from = known ? here : 0;
  const response = await request(url, from, options);
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
  if (response.status === 404 || (response.ok && isPage)) return false;
  if (from > 0 && (response.status === 416 || (response.status === 206 && !fits(response, from, known)))) {
    // Another version than the one that was begun.
    await slot.drop(name);
    return downloadFile(slot, name, url, meter, options);
  }
  if (!response.ok || !response.body) {
    const hint =
      response.status === 401 || response.status === 403
        ? 'the host wants a login: choose another copy of it'
        : 'try again later';
    throw new CodedError('model/missing', `${url}: ${response.status} ${response.statusText}`, hint);
  }
  const start = response.status === 206 ? from : 0;
  const bytes = totalOf(response, start);
  await slot.set(name, { bytes, etag: response.headers.get('etag'), done: false });
  meter.has(start, bytes);
  const length = await receive(response.body, await slot.writer(name, start), start, url, meter, options);
  if (bytes !== null && length !== bytes) {
    throw new CodedError(
      'model/cut-off',
      `${url}: ${length} of ${bytes} bytes came`,
      'try again: it goes on from there',
    );
  }
  await checked(slot, name, { bytes: length, etag: response.headers.get('etag') });
  return true;
}

/** A whole file is kept if it is what its name says. */
async function checked(slot: Slot, name: string, { bytes, etag }: Pick<FileLabel, 'bytes' | 'etag'>): Promise<void> {
  try {
    await check(blobFile(name, (await slot.read(name))!));
  } catch (error) {
    await slot.drop(name);
    throw error;
  }
  await slot.set(name, { bytes, etag, done: true });
}

async function request(url: string, from: number, { fetch: get = fetch, signal }: DownloadOptions): Promise<Response> {
  try {
    return await get(url, {
      // One plain range needs no preflight.
      ...(from > 0 ? { headers: { Range: `bytes=${from}-` } } : {}),
      ...(signal ? { signal } : {}),
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (error) {
    throw broken(url, error, signal);
  }
}

/** Writes what comes; resolves to the file's length. What came stays, however it ends. */
async function receive(
  body: ReadableStream<Uint8Array>,
  writer: Awaited<ReturnType<Slot['writer']>>,
  start: number,
  url: string,
  meter: Meter,
  { signal, stallMs = 30_000 }: DownloadOptions,
): Promise<number> {
  const reader = body.getReader();
  let length = start;
  try {
    for (;;) {
      const next = await inTime(reader.read(), stallMs, url, signal);
      if (next.done) break;
      writer.write(next.value);
      length += next.value.length;
      meter.add(next.value.length);
    }
    meter.add(0, true);
    return length;
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw broken(url, error, signal);
  } finally {
    writer.close();
  }
}

/** What comes within `ms`, and before the signal. */
async function inTime<T>(work: Promise<T>, ms: number, url: string, signal: AbortSignal | undefined): Promise<T> {
  let stop = () => {};
  const never = new Promise<never>((_, reject) => {
    const hint = 'check the connection and try again: it goes on from there';
    const late = () => reject(new CodedError('model/stalled', `${url}: nothing came for ${ms / 1000} s`, hint));
    const timer = setTimeout(late, ms);
    const aborted = () => reject(signal!.reason);
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
  });
  try {
    return await Promise.race([work, never]);
  } finally {
    stop();
  }
}

/** Whether a range is the rest of what is here: same length, same version, as far as the host says. */
function fits(response: Response, from: number, known: { bytes: number | null; etag: string | null } | null): boolean {
  const etag = response.headers.get('etag');
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
  if (range && Number(range[1]) !== from) return false;
  if (range && known?.bytes != null && Number(range[2]) !== known.bytes) return false;
  return !(etag && known?.etag) || etag === known.etag;
}

function totalOf(response: Response, start: number): number | null {
  // A compressed body is longer than its Content-Length.
  if (response.headers.has('content-encoding')) return null;
  const length = response.headers.get('content-length');
  return length === null ? null : start + Number(length);
}

/** The right length is not enough: a page in place of a file has been cached for a model before. Errors: model/bad-file. */
export async function check(file: FileSource): Promise<void> {
  if (file.name.endsWith('.safetensors')) await readHeader(file);
  else if (isGguf(file.name)) await readGgufHeader(file);
  else if (file.name.endsWith('.json')) {
    const text = new TextDecoder().decode(await file.read(0, file.size));
    try {
      JSON.parse(text);
    } catch (error) {
      throw new CodedError(
        'model/bad-file',
        `${file.name} is no JSON`,
        'try again, or choose another copy',
        String(error),
      );
    }
  }
}

const missing = (url: string) => new CodedError('model/missing', `there is no ${url}`, 'choose another model');

function broken(url: string, error: unknown, signal: AbortSignal | undefined): CodedError {
  if (error instanceof CodedError) return error;
  if (signal?.aborted) return new CodedError('model/aborted', 'the download was stopped', 'it goes on from there');
  return new CodedError(
    'model/offline',
    `${url} could not be read`,
    'check the connection: it goes on from there',
    String(error),
  );
}

/** Bytes so far, and how fast they came lately. */
class Meter {
  readonly #options: DownloadOptions;
  readonly #now: () => number;
  #loaded = 0;
  #total: number | null = 0;
  /** [time in ms, bytes that came over the net] of the last seconds. */
  #recent: [number, number][] = [];
  #came = 0;
  #told = Number.NEGATIVE_INFINITY;

  constructor(options: DownloadOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** A file begins: so much of it is here, of so much. */
  has(bytes: number, total: number | null) {
    this.#loaded += bytes;
    this.#total = this.#total === null || total === null ? null : this.#total + total;
    this.#tell(true);
  }

  /** `last`: of its file. */
  add(bytes: number, last = false) {
    this.#loaded += bytes;
    this.#came += bytes;
    this.#tell(last);
  }

  #tell(always: boolean) {
    const now = this.#now();
    if (!always && now - this.#told < 200) return;
    this.#told = now;
    this.#recent.push([now, this.#came]);
    while (this.#recent.length > 2 && now - this.#recent[0]![0] > 5000) this.#recent.shift();
    const [since, before] = this.#recent[0]!;
    const rate = now - since < 500 ? null : ((this.#came - before) / (now - since)) * 1000;
    const left = this.#total === null || !rate ? null : (this.#total - this.#loaded) / rate;
    this.#options.progress?.({ loaded: this.#loaded, total: this.#total, rate, secondsLeft: left });
  }
}
