// The page's end of the reader worker: started at once, because the first board comes from it.
import * as Comlink from 'comlink';
import type { RunEvent } from '../../log/events.ts';
import { WorkerOwner } from '../../workers/owner.ts';
import type { ReaderApi } from './contract.ts';

export class Reader {
  #owner = new WorkerOwner<ReaderApi>({
    name: 'log reader',
    create: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'reader' }),
    parallel: true,
  });

  constructor() {
    // Starts it now; a failure is told to whoever asks first.
    this.#owner.ready().catch(() => undefined);
  }

  reset = () => this.#owner.run((api) => api.reset());
  append = (events: RunEvent[]) => this.#owner.run((api) => api.append(events));
  stream = (url: string, onEvents: (events: RunEvent[]) => void) =>
    this.#owner.run((api) => api.stream(new URL(url, document.baseURI).href, Comlink.proxy(onEvents)));
  report = (count: number) => this.#owner.run((api) => api.report(count));
  frames = (n: number) => this.#owner.run((api) => api.frames(n));
  prompt = (n: number, step: number) => this.#owner.run((api) => api.prompt(n, step));
  close = () => this.#owner.terminate();
}
