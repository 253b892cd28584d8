// The page's end of the reader worker: started at once, because the first board comes from it.
import * as Comlink from 'comlink';
import type { RunEvent } from '../../log/events.ts';
import type { ReaderApi } from './contract.ts';

export class Reader {
  #worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'reader' });
  #api: Promise<Comlink.Remote<ReaderApi>>;
  #fail!: (error: Error) => void;
  #failed = new Promise<never>((_, reject) => (this.#fail = reject));

  constructor() {
    this.#failed.catch(() => undefined);
    const worker = this.#worker;
    worker.addEventListener('error', (event) => this.#fail(new Error(event.message || 'the reader could not start')));
    worker.addEventListener('messageerror', () => this.#fail(new Error('the reader sent what cannot be read')));
    const ready = new Promise<void>((resolve) => {
      worker.addEventListener('message', (event) => event.data === 'ready' && resolve(), { once: true });
    });
    this.#api = ready.then(() => Comlink.wrap<ReaderApi>(worker));
  }

  /** Rejects, too, when the worker dies. */
  #call<T>(use: (api: Comlink.Remote<ReaderApi>) => Promise<T>): Promise<T> {
    return Promise.race([this.#api.then(use), this.#failed]);
  }

  reset = () => this.#call((api) => api.reset());
  append = (events: RunEvent[]) => this.#call((api) => api.append(events));
  stream = (url: string, onEvents: (events: RunEvent[]) => void) =>
    this.#call((api) => api.stream(new URL(url, document.baseURI).href, Comlink.proxy(onEvents)));
  report = (count: number) => this.#call((api) => api.report(count));
  frames = (n: number) => this.#call((api) => api.frames(n));
  prompt = (n: number, step: number) => this.#call((api) => api.prompt(n, step));
}
