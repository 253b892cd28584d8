// One run under way: pulls the cycle, stores each event before the next, and can be paused, stepped and stopped.
// To pause is not to pull; so the log holds nothing of a pause. Knows no worker, no database, no page.
import { CodedError, toErrorValue, type ErrorValue } from '../errors.ts';
import { closeStopped, cycle, type RunInput } from '../gym/cycle.ts';
import type { Live } from '../gym/live.ts';
import { Chain } from '../log/chain.ts';
import type { RunEvent } from '../log/events.ts';
import type { Blobs } from '../log/store.ts';

export interface RunListener {
  /** The event has been stored. */
  event(event: RunEvent): void;
  live(live: Live): void;
  state(state: 'running' | 'paused' | 'done' | 'failed'): void;
  failed(error: ErrorValue): void;
}

export type Append = (event: RunEvent, blobs: Blobs) => Promise<void>;
type Cycle = typeof cycle;
type Mode = 'running' | 'paused' | 'stopping' | 'left';

export class ActiveRun {
  /** Resolves when run.opened (or run.resumed) is stored; rejects when it never came to that. */
  readonly opened: Promise<void>;
  /** Resolves when the run has ended, in whatever way. */
  readonly over: Promise<void>;
  private readonly events: RunEvent[];
  private readonly abort = new AbortController();
  private mode: Mode = 'running';
  /** Episodes to play before pausing again. */
  private steps = Number.POSITIVE_INFINITY;
  private wake: () => void = () => {};
  /** Those who wait for the log to stand still. */
  private onStill: (() => void)[] = [];
  private still = false;
  private readonly input: Omit<RunInput, 'signal'>;
  private readonly append: Append;
  private readonly listener: RunListener;

  constructor(input: Omit<RunInput, 'signal'>, append: Append, listener: RunListener, make: Cycle = cycle) {
    this.input = input;
    this.append = append;
    this.listener = listener;
    this.events = [...input.past];
    let opened: () => void = () => {};
    let refuse: (error: unknown) => void = () => {};
    this.opened = new Promise((resolve, reject) => ([opened, refuse] = [resolve, reject]));
    this.opened.catch(() => undefined);
    this.over = this.drive(make({ ...input, signal: this.abort.signal }), opened)
      .catch((error: unknown) => {
        refuse(error);
        return this.fail(error);
      })
      .finally(() => {
        refuse(new CodedError('worker/aborted', 'the run ended before it began'));
        this.stand();
      });
  }

  get paused(): boolean {
    return this.mode === 'paused';
  }

  /** Resolves when nothing more is written. */
  async pause(): Promise<void> {
    if (this.mode === 'running') this.mode = 'paused';
    if (!this.still) await new Promise<void>((resolve) => this.onStill.push(resolve));
  }

  continue(episodes = Number.POSITIVE_INFINITY): void {
    if (this.mode !== 'paused') return;
    this.mode = 'running';
    this.steps = episodes;
    this.wake();
  }

  /** Closes the log as stopped; what is being computed is dropped. */
  async stop(): Promise<void> {
    if (this.mode === 'running' || this.mode === 'paused') this.mode = 'stopping';
    this.abort.abort();
    this.wake();
    await this.over;
  }

  /** Ends without a word in the log, which can be gone on with later. */
  async leave(): Promise<void> {
    this.mode = 'left';
    this.abort.abort();
    this.wake();
    await this.over;
  }

  private async drive(items: ReturnType<Cycle>, opened: () => void) {
    this.listener.state('running');
    try {
      while (await this.mayGoOn()) {
        const next = await items.next();
        if (next.done) return this.listener.state('done');
        // What comes after an abort may rest on half an answer.
        if (this.abort.signal.aborted) break;
        if ('live' in next.value) this.listener.live(next.value.live);
        else {
          const { event, blobs } = next.value;
          await this.store(event, blobs);
          opened();
          if (event.type === 'episode' && (this.steps -= 1) <= 0 && this.is('running')) this.mode = 'paused';
        }
      }
    } catch (error) {
      const dropped =
        error instanceof CodedError && (error.code === 'worker/aborted' || error.code === 'model/aborted');
      if (!dropped || (this.mode !== 'stopping' && this.mode !== 'left')) throw error;
    } finally {
      // Not waited for: a generator in the middle of a call returns only after it.
      void items.return().catch(() => undefined);
    }
    if (this.mode !== 'stopping') return;
    if (this.events.length > 0) await this.store(closeStopped(this.events, this.input.report));
    this.listener.state('done');
  }

  /** Waits while paused; false when the run is to end. */
  private async mayGoOn(): Promise<boolean> {
    if (this.mode === 'paused') {
      const woken = new Promise<void>((resolve) => (this.wake = resolve));
      this.listener.state('paused');
      this.stand();
      await woken;
      this.still = false;
      if (this.is('running')) this.listener.state('running');
    }
    return this.is('running') || this.is('paused');
  }

  private is(mode: Mode) {
    return this.mode === mode;
  }

  private stand() {
    this.still = true;
    for (const tell of this.onStill.splice(0)) tell();
  }

  private async store(event: RunEvent, blobs: Blobs = {}) {
    await this.append(event, blobs);
    this.events.push(event);
    this.listener.event(event);
  }

  /** The failure goes into the log where that is still possible; the run can be gone on with. */
  private async fail(error: unknown) {
    const value = toErrorValue(error, 'worker/unknown');
    const { code, message, hint } = value;
    const last = this.events.at(-1);
    if (last) {
      const event = new Chain(last).link({ type: 'run.failed', at: Date.now(), code, message, hint });
      await this.store(event).catch(() => undefined);
    }
    this.listener.failed(value);
    this.listener.state('failed');
  }
}
