// Asks the reader for the report of what is shown, one at a time and not more often than is worth looking at.
import { toErrorValue } from '../../errors.ts';
import type { RunEvent } from '../../log/events.ts';
import type { Reader } from '../reader/client.ts';
import type { Failures } from './failures.svelte.ts';
import type { RunView } from './view.svelte.ts';

const LEAST_GAP_MS = 500;

/** Whether there is more to say after it. Held-out episodes count once their checkpoint stands. */
export const changesReport = (event: RunEvent) =>
  ['run.opened', 'checkpoint', 'run.closed'].includes(event.type) ||
  (event.type === 'episode' && event.phase === 'explore');

export class Reporter {
  #reader: Reader;
  #failures: Failures;
  #again: (() => void) | null = null;
  #under = false;
  #generation = 0;

  constructor(reader: Reader, failures: Failures) {
    this.#reader = reader;
    this.#failures = failures;
  }

  stop() {
    this.#generation++;
    this.#again = null;
  }

  /** The view gets the report of what it holds when its turn comes. */
  ask(view: RunView) {
    if (this.#under) this.#again = () => void this.#work(view);
    else void this.#work(view);
  }

  async #work(view: RunView) {
    const mine = this.#generation;
    this.#under = true;
    const started = performance.now();
    const { count } = view;
    try {
      const report = await this.#reader.report(count);
      if (mine === this.#generation) view.report = report;
    } catch (error) {
      if (mine === this.#generation) this.#failures.add(toErrorValue(error, 'log/report'));
    }
    if (mine === this.#generation) view.reported = count;
    // A long log takes longer to fold: it must not crowd out the run itself.
    const gap = Math.max(LEAST_GAP_MS, 5 * (performance.now() - started));
    await new Promise((resolve) => setTimeout(resolve, gap));
    this.#under = false;
    const again = this.#again;
    this.#again = null;
    again?.();
  }
}
