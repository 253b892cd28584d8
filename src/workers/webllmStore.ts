// What the page may ask about WebLLM's models without opening one: the list by what this device can run, what is kept
// here, and to be rid of it. The worker, and the package in it, live only while something is asked. Opens no model.
import type { Sizes } from '../models/webllm/cache.ts';
import type { WebllmEntry } from '../models/webllm/catalogue.ts';
import { WorkerOwner } from './owner.ts';
import { webllmWorker } from './spawn.ts';
import type { WebllmWorkerApi } from './webllm.worker.ts';

export interface WebllmStore {
  /** Errors: worker/… */
  catalogue(): Promise<WebllmEntry[]>;
  /** Of a model by its name (`webllm:…`). Errors: model/unknown, storage/unavailable. */
  sizes(name: string): Promise<Sizes>;
  remove(name: string): Promise<void>;
  /** A model's folder and library from this machine. Errors: model/missing, model/bad-file. */
  importFiles(name: string, files: readonly File[]): Promise<void>;
  close(): void;
}

/** The package's own script is large, and a list is short. */
const IDLE_MS = 20_000;
const SLOW_MS = 60_000;

export function openWebllmStore(create = webllmWorker): WebllmStore {
  const owner = new WorkerOwner<WebllmWorkerApi>({ name: 'webllm worker', create, idleMs: IDLE_MS });
  return {
    catalogue: () => owner.run((api) => api.catalogue(), { timeoutMs: SLOW_MS }),
    sizes: (name) => owner.run((api) => api.sizes(name), { timeoutMs: SLOW_MS }),
    remove: (name) => owner.run((api) => api.remove(name), { timeoutMs: SLOW_MS }),
    // As many gigabytes as the model has.
    importFiles: (name, files) => owner.run((api) => api.importFiles(name, files)),
    close: () => owner.terminate(),
  };
}
