// The page's end of the reader worker: started at once, because the first board comes from it, and again when it has
// died; the new one is given the log that the old one held.
import * as Comlink from 'comlink';
import type { RunEvent } from '../../log/events.ts';
import { WorkerOwner } from '../../workers/owner.ts';
import type { ReaderApi } from './contract.ts';

const readerWorker = () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'reader' });

/** Errors of every call: worker/…; the next call tries again. */
export class Reader {
  #create: () => Worker;
  #owner: WorkerOwner<ReaderApi>;
  /** What the worker holds. */
  #events: RunEvent[] = [];
  #closed = false;

  constructor(create: () => Worker = readerWorker) {
    this.#create = create;
    this.#owner = this.#open();
    // Starts it now; a failure is told to whoever asks first.
    this.#owner.ready().catch(() => undefined);
  }

  async reset() {
    this.#events = [];
    if (!this.#reopened()) await this.#owner.run((api) => api.reset());
  }

  async append(events: RunEvent[]) {
    for (const event of events) this.#events.push(event);
    if (!this.#reopened()) await this.#owner.run((api) => api.append(events));
  }

  async stream(url: string, onEvents: (events: RunEvent[]) => void) {
    const mine: RunEvent[] = (this.#events = []);
    this.#reopened();
    const keep = (events: RunEvent[]) => {
      if (mine !== this.#events) return; // another log has been opened meanwhile
      for (const event of events) mine.push(event);
      onEvents(events);
    };
    await this.#owner.run((api) => api.stream(new URL(url, document.baseURI).href, Comlink.proxy(keep)));
  }

  report = (count: number) => this.#asked((api) => api.report(count));
  frames = (n: number) => this.#asked((api) => api.frames(n));
  prompt = (n: number, step: number) => this.#asked((api) => api.prompt(n, step));

  close() {
    this.#closed = true;
    this.#owner.terminate();
  }

  #open() {
    return new WorkerOwner<ReaderApi>({ name: 'log reader', create: this.#create, parallel: true });
  }

  #asked<T>(call: (api: Comlink.Remote<ReaderApi>) => T) {
    this.#reopened();
    return this.#owner.run(call);
  }

  /** Whether there is a new worker. Calls arrive in their order, so the log is there before whatever is asked next. */
  #reopened(): boolean {
    if (this.#closed || this.#owner.dead === null) return false;
    this.#owner = this.#open();
    // A copy: by the time it is sent, more may have been appended, with a call of its own.
    const events = [...this.#events];
    if (events.length > 0) this.#owner.run((api) => api.append(events)).catch(() => undefined);
    return true;
  }
}
