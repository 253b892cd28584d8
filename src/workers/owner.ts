// What the page and the lab hold instead of a bare Worker: a queue, a ready handshake with a deadline, deadlines for
// calls, abort, idle kill; and no call is ever left hanging, however its worker ends. Knows no API.
import * as Comlink from 'comlink';
import { CodedError, fromErrorValue } from '../errors.ts';
import { deadline } from './deadline.ts';
import { callError, isSignal } from './wire.ts';

export interface OwnerOptions {
  /** For messages: `model worker`. */
  name: string;
  create: () => Worker;
  /** How long it may take until it can be asked. Default 30 s: the script must load. */
  readyMs?: number;
  /** Ended after this long without a call; the next call starts a new one. Default: never. */
  idleMs?: number;
  /** Calls do not wait for one another. Default false. */
  parallel?: boolean;
  /** Told once, of any end but `terminate()` and idleness. */
  onDeath?: (error: CodedError) => void;
}

export interface CallOptions {
  /** Counted from when the worker is asked, not from when the call was queued. Over it, the worker is ended. */
  timeoutMs?: number;
  /** What a call that timed out rejects with. Default worker/timeout. */
  late?: CodedError;
  /** Rejects the call at once with worker/aborted. The worker goes on, unless `endOnAbort`. */
  signal?: AbortSignal;
  endOnAbort?: boolean;
}

interface Job<Api> {
  call: (api: Comlink.Remote<Api>) => unknown;
  options: CallOptions;
  settle: (error: CodedError | null, value?: unknown) => void;
  /** Calls its deadline off. */
  inTime?: () => void;
}

/** Once its worker has died of a fault an owner stays dead: what the worker held is gone, so a new owner must know. */
export class WorkerOwner<Api extends object> {
  private worker: Worker | null = null;
  private api: Comlink.Remote<Api> | null = null;
  private isReady = false;
  private death: CodedError | null = null;
  private readyInTime: (() => void) | undefined;
  private idleTimer: ReturnType<typeof setTimeout> | undefined;
  private watch: AbortController | null = null;
  private readonly waiting: Job<Api>[] = [];
  private readonly running = new Set<Job<Api>>();
  private readonly options: OwnerOptions;

  constructor(options: OwnerOptions) {
    this.options = options;
  }

  /** Why every further call is rejected; null while it can be asked. */
  get dead(): CodedError | null {
    return this.death;
  }

  /** Calls that wait or run. */
  get load(): number {
    return this.waiting.length + this.running.size;
  }

  /**
   * `owner.run((api) => api.step(id, action), { timeoutMs: 2000 })`. Errors: what the call throws; worker/not-ready,
   * worker/crashed, worker/closed, worker/unreadable, worker/terminated, worker/timeout, worker/aborted.
   */
  run<T>(call: (api: Comlink.Remote<Api>) => T, options: CallOptions = {}): Promise<Awaited<T>> {
    return new Promise<Awaited<T>>((resolve, reject) => {
      if (this.death) return reject(this.death);
      const { signal, endOnAbort = false } = options;
      if (signal?.aborted) return reject(this.aborted());
      let open = true;
      const onAbort = () => {
        const place = this.waiting.indexOf(job);
        if (place >= 0) this.waiting.splice(place, 1);
        else if (endOnAbort) this.end(this.aborted());
        settle(this.aborted());
      };
      const settle: Job<Api>['settle'] = (error, value) => {
        if (!open) return;
        open = false;
        signal?.removeEventListener('abort', onAbort);
        if (error) reject(error);
        else resolve(value as Awaited<T>);
      };
      const job: Job<Api> = { call, options, settle };
      signal?.addEventListener('abort', onAbort);
      this.waiting.push(job);
      this.pump();
    });
  }

  /** Resolves when the worker can be asked. */
  async ready(): Promise<void> {
    await this.run(() => undefined);
  }

  /** Ends the worker; pending and further calls are rejected with worker/terminated. */
  terminate(): void {
    if (!this.death) this.end(new CodedError('worker/terminated', `${this.options.name} was ended`), { quiet: true });
  }

  private pump() {
    clearTimeout(this.idleTimer);
    if (!this.worker && this.waiting.length > 0) this.spawn();
    if (!this.isReady) return;
    while (this.waiting.length > 0 && (this.options.parallel || this.running.size === 0))
      this.start(this.waiting.shift()!);
    if (this.load === 0 && this.options.idleMs !== undefined) {
      this.idleTimer = setTimeout(() => this.letGo(), this.options.idleMs);
    }
  }

  private start(job: Job<Api>) {
    const { timeoutMs, late } = job.options;
    this.running.add(job);
    if (timeoutMs !== undefined) {
      const error = late ?? this.fault('worker/timeout', `did not answer within ${timeoutMs / 1000} s`);
      job.inTime = deadline(timeoutMs, () => this.end(error, { culprit: job }));
    }
    const over = (error: CodedError | null, value?: unknown) => {
      job.inTime?.();
      job.settle(error, value);
      if (this.running.delete(job)) this.pump();
    };
    const api = this.api!;
    Promise.resolve()
      .then(() => job.call(api))
      .then(
        (value) => over(null, value),
        (error: unknown) => over(callError(error, this.options.name)),
      );
  }

  private spawn() {
    let worker: Worker;
    try {
      worker = this.options.create();
    } catch (error) {
      return this.end(this.fault('worker/not-ready', `cannot be started: ${(error as Error).message}`));
    }
    this.worker = worker;
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (this.worker !== worker) return;
      const { message, filename, lineno } = event;
      const what = message ? `failed: ${message}` : 'could not be loaded';
      this.end(this.fault('worker/crashed', what, filename ? `${filename}:${lineno}` : undefined));
    });
    worker.addEventListener('messageerror', () => {
      if (this.worker === worker) this.end(this.fault('worker/unreadable', 'sent what cannot be read'));
    });
    worker.addEventListener('message', ({ data }) => {
      if (this.worker !== worker || !isSignal(data)) return;
      if (data.s3 === 'fault') return this.end(fromErrorValue(data.error));
      if (this.isReady) return;
      this.isReady = true;
      this.readyInTime?.();
      if (data.lock) this.watchOver(worker, data.lock);
      this.pump();
    });
    this.api = Comlink.wrap<Api>(worker);
    const { readyMs = 30_000 } = this.options;
    const late = this.fault('worker/not-ready', `not ready within ${readyMs / 1000} s`);
    this.readyInTime = deadline(readyMs, () => this.end(late));
  }

  /** The worker's lock is granted to us only when the worker is gone. */
  private watchOver(worker: Worker, lock: string) {
    this.watch = new AbortController();
    navigator.locks
      .request(lock, { signal: this.watch.signal }, () => {
        if (this.worker === worker) this.end(this.fault('worker/closed', 'is gone'));
      })
      .catch(() => undefined);
  }

  private letGo() {
    this.readyInTime?.();
    clearTimeout(this.idleTimer);
    this.watch?.abort();
    this.watch = null;
    this.worker?.terminate();
    this.worker = null;
    this.api = null;
    this.isReady = false;
  }

  /** With a culprit only its call gets the error; the other calls, and those to come, hear that the worker was ended. */
  private end(error: CodedError, { culprit, quiet }: { culprit?: Job<Api>; quiet?: boolean } = {}) {
    if (this.death) return;
    const { name, onDeath } = this.options;
    const because = new CodedError(
      'worker/terminated',
      `${name} was ended: ${error.message}`,
      error.hint,
      error.detail,
    );
    this.death = quiet ? error : because;
    this.letGo();
    const jobs = [...this.running, ...this.waiting];
    const blamed = culprit ? new Set([culprit]) : this.running.size > 0 ? new Set(this.running) : new Set(this.waiting);
    this.running.clear();
    this.waiting.length = 0;
    for (const job of jobs) {
      job.inTime?.();
      job.settle(blamed.has(job) ? error : this.death);
    }
    if (!quiet) onDeath?.(error);
  }

  private fault(code: `worker/${string}`, what: string, detail?: string): CodedError {
    return new CodedError(code, `${this.options.name} ${what}`, 'reload the page if it happens again', detail);
  }

  private aborted(): CodedError {
    return new CodedError('worker/aborted', `a call to the ${this.options.name} was aborted`);
  }
}
