// The shelf in a worker, with a host that is a script: it cuts off, stalls, changes, sends pages in place of files.
import { downloadModel } from '../../src/models/shelf/download.ts';
import { putModel } from '../../src/models/shelf/put.ts';
import { Shelf, type Shelved } from '../../src/models/shelf/shelf.ts';
import { serve } from '../../src/workers/wire.ts';

export interface HostFile {
  bytes: Uint8Array<ArrayBuffer>;
  type?: string;
  status?: number;
  etag?: string;
  /** The connection breaks after so many bytes of an answer. */
  cut?: number;
  /** Nothing more comes after so many bytes. */
  stall?: number;
  /** Ranges are ignored. */
  whole?: boolean;
}

export interface FaultyShelfApi {
  /** Resolves to what was asked of the host: `name` or `name from`. */
  download(address: string, host: Record<string, HostFile>, abortAfterMs?: number): Promise<string[]>;
  put(files: File[]): Promise<string>;
  list(): Promise<Shelved[]>;
  /** Sizes of a whole model's files. */
  files(address: string): Promise<Record<string, number> | null>;
  remove(address: string): Promise<void>;
  /** What the last download said of its bytes. */
  progress(): Promise<[loaded: number, total: number | null] | null>;
}

let asked: string[] = [];
let told: [number, number | null] | null = null;

function answer(file: HostFile | undefined, from: number): Response {
  if (!file) return new Response('not found', { status: 404 });
  const ranged = from > 0 && !file.whole;
  if (ranged && from >= file.bytes.length) return new Response(null, { status: 416 });
  const rest = ranged ? file.bytes.subarray(from) : file.bytes;
  const end = file.cut ?? file.stall;
  // Nothing is asked for ahead: what breaks off breaks off after what came before.
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(rest.subarray(0, end)),
      pull(controller) {
        if (end === undefined || end >= rest.length) controller.close();
        else if (file.cut !== undefined) controller.error(new TypeError('network error'));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    status: file.status ?? (ranged ? 206 : 200),
    headers: {
      'content-type': file.type ?? 'application/octet-stream',
      'content-length': String(rest.length),
      ...(file.etag ? { etag: file.etag } : {}),
      ...(ranged ? { 'content-range': `bytes ${from}-${file.bytes.length - 1}/${file.bytes.length}` } : {}),
    },
  });
}

const api: FaultyShelfApi = {
  async download(address, host, abortAfterMs) {
    asked = [];
    const controller = new AbortController();
    if (abortAfterMs !== undefined) setTimeout(() => controller.abort(), abortAfterMs);
    const slot = await (await Shelf.open()).slot(address, address.split('/').at(-2)!);
    await downloadModel(slot, address, {
      signal: controller.signal,
      stallMs: 300,
      progress: ({ loaded, total }) => (told = [loaded, total]),
      fetch: async (url, init) => {
        const name = new URL(String(url)).pathname.split('/').at(-1)!;
        const from = Number(/bytes=(\d+)-/.exec(new Headers(init?.headers).get('range') ?? '')?.[1] ?? 0);
        asked.push(from > 0 ? `${name} ${from}` : name);
        return answer(host[name], from);
      },
    });
    return asked;
  },
  put: async (files) => putModel(await Shelf.open(), files),
  list: async () => (await Shelf.open()).list(),
  async files(address) {
    const files = await (await Shelf.open()).files(address);
    return files && Object.fromEntries([...files].map(([name, { size }]) => [name, size]));
  },
  remove: async (address) => (await Shelf.open()).remove(address),
  progress: async () => told,
};

serve(api);
