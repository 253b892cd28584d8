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
    await (this.#reopened() ?? this.#owner.run((api) => api.reset()));
  }

  async append(events: RunEvent[]) {
    for (const event of events) this.#events.push(event);
    await (this.#reopened() ?? this.#owner.run((api) => api.append(events)));
  }

  async stream(url: string, onEvents: (events: RunEvent[]) => void) {
    const mine: RunEvent[] = (this.#events = []);
    const keep = (events: RunEvent[]) => {
      if (mine !== this.#events) return; // another log has been opened meanwhile
      for (const event of events) mine.push(event);
      onEvents(events);
    };
    await this.#asked((api) => api.stream(new URL(url, document.baseURI).href, Comlink.proxy(keep)));
  }

  report = (count: number) => this.#asked((api) => api.report(count));
  tables = (count: number) => this.#asked((api) => api.tables(count));
  frames = (n: number) => this.#asked((api) => api.frames(n));
  prompt = (n: number, step: number) => this.#asked((api) => api.prompt(n, step));

  close() {
    this.#closed = true;
    this.#owner.terminate();
  }

  #open() {
    return new WorkerOwner<ReaderApi>({ name: 'log reader', create: this.#create, parallel: true });
  }

  async #asked<T>(call: (api: Comlink.Remote<ReaderApi>) => T): Promise<Awaited<T>> {
    const [, answer] = await Promise.all([this.#reopened(), this.#owner.run(call)]);
    return answer;
  }

  /**
   * Where there has to be a new worker: that it holds the log. Calls arrive in their order, so it does before it is asked
   * what comes next.
   */
  #reopened(): Promise<void> | null {
    if (this.#closed || this.#owner.dead === null) return null;
    this.#owner = this.#open();
    // A copy: by the time it is sent, more may have been appended, with a call of its own.
    const events = [...this.#events];
    return this.#owner.run((api) => api.append(events));
  }
}
