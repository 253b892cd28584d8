// Models on this device's disk: fetched, put, listed and deleted in a worker of their own, so that neither page nor run
// waits. Knows nothing of what a model does.
import { CodedError } from '../errors.ts';
import { downloadModel, type DownloadProgress } from '../models/shelf/download.ts';
import { putModel } from '../models/shelf/put.ts';
import { Shelf, type Shelved } from '../models/shelf/shelf.ts';
import { serve } from './wire.ts';

/** What the page may ask; values only. */
export interface ShelfApi {
  list(): Promise<Shelved[]>;
  /** Fetches a model, or the rest of it. One at a time for each address. Errors: model/…, storage/… */
  fetch(address: string, title: string, progress: (progress: DownloadProgress) => void): Promise<void>;
  /** Ends a fetch; what came stays. */
  cancel(address: string): Promise<void>;
  /** Copies picked files; resolves to what the setting `model` calls them. */
  put(files: File[], progress: (loaded: number, total: number) => void): Promise<string>;
  remove(address: string): Promise<void>;
}

const running = new Map<string, AbortController>();

const api: ShelfApi = {
  list: async () => (await Shelf.open()).list(),
  async fetch(address, title, progress) {
    if (running.has(address)) throw new CodedError('storage/busy', `${title} is being fetched already`);
    const controller = new AbortController();
    running.set(address, controller);
    try {
      const slot = await (await Shelf.open()).slot(address, title);
      await downloadModel(slot, address, { signal: controller.signal, progress });
    } finally {
      running.delete(address);
    }
  },
  cancel: async (address) => running.get(address)?.abort(),
  put: async (files, progress) => putModel(await Shelf.open(), files, progress),
  async remove(address) {
    running.get(address)?.abort();
    await (await Shelf.open()).remove(address);
  },
};

serve(api);
