// Models on this device's disk, as the page sees them: what is here, what is coming, and how fast.
import * as Comlink from 'comlink';
import { toErrorValue } from '../../errors.ts';
import type { DownloadProgress } from '../../models/shelf/download.ts';
import type { Shelved } from '../../models/shelf/shelf.ts';
import { WorkerOwner } from '../../workers/owner.ts';
import type { ShelfApi } from '../../workers/shelf.worker.ts';
import type { Failures } from './failures.svelte.ts';

const shelfWorker = () =>
  new Worker(new URL('../../workers/shelf.worker.ts', import.meta.url), { type: 'module', name: 'shelf' });

export const isModelFile = ({ name }: File) => /\.(gguf|safetensors)$/i.test(name);

export class ShelfState {
  here = $state.raw<readonly Shelved[]>([]);
  /** Fetches and copies under way, by address. */
  coming = $state<Record<string, DownloadProgress>>({});
  /** Whether this browser gives the page a disk at all; false once it said no. */
  available = $state(true);
  #failures: Failures;
  #create: () => Worker;
  #owner: WorkerOwner<ShelfApi> | null = null;

  constructor(failures: Failures, create: () => Worker = shelfWorker) {
    this.#failures = failures;
    this.#create = create;
  }

  /** The model at `address`, if any of it is here. */
  find(address: string): Shelved | null {
    return this.here.find((one) => one.address === address) ?? null;
  }

  async refresh() {
    try {
      this.here = await this.#run((api) => api.list());
    } catch (error) {
      const value = toErrorValue(error, 'storage/shelf');
      this.available = value.code !== 'storage/unavailable';
      if (this.available) this.#failures.add(value);
    }
  }

  async fetch(address: string, title: string) {
    await this.#arriving(address, (tell) => this.#run((api) => api.fetch(address, title, Comlink.proxy(tell))));
  }

  async cancel(address: string) {
    await this.#failures.guard('model/aborted', () => this.#run((api) => api.cancel(address)));
  }

  /** Resolves to what the setting `model` calls the files, or null when they were refused. */
  async put(files: File[]): Promise<string | null> {
    let address: string | null = null;
    await this.#arriving('files', async (tell) => {
      const progress = (loaded: number, total: number) => tell({ loaded, total, rate: null, secondsLeft: null });
      address = await this.#run((api) => api.put(files, Comlink.proxy(progress)));
    });
    return address;
  }

  async remove(address: string) {
    await this.#failures.guard('storage/remove', () => this.#run((api) => api.remove(address)));
    await this.refresh();
  }

  async #arriving(key: string, work: (tell: (progress: DownloadProgress) => void) => Promise<unknown>) {
    this.coming[key] = { loaded: 0, total: null, rate: null, secondsLeft: null };
    try {
      await work((progress) => {
        if (this.coming[key]) this.coming[key] = progress;
      });
    } catch (error) {
      const value = toErrorValue(error, 'model/offline');
      // Stopped by hand is no fault.
      if (value.code !== 'model/aborted') this.#failures.add(value);
    } finally {
      delete this.coming[key];
    }
    await this.refresh();
  }

  #run<T>(call: (api: Comlink.Remote<ShelfApi>) => T) {
    if (this.#owner === null || this.#owner.dead !== null) {
      this.#owner = new WorkerOwner<ShelfApi>({ name: 'model shelf', create: this.#create, parallel: true });
    }
    return this.#owner.run(call);
  }
}
