// Asks the reader for the report, one at a time and not more often than is worth looking at.
import type { Report } from '../../report/types.ts';
import type { Reader } from '../reader/client.ts';

const LEAST_GAP_MS = 500;

export class Reporter {
  #reader: Reader;
  #again: (() => void) | null = null;
  #under = false;
  #generation = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  stop() {
    this.#generation++;
    this.#again = null;
  }

  /** `use` gets the report and the number of events that it is of; `fail` that number, too. */
  ask(
    count: () => number,
    use: (report: Report, events: number) => void,
    fail: (error: unknown, events: number) => void,
  ) {
    const mine = this.#generation;
    const work = async () => {
      this.#under = true;
      const started = performance.now();
      const events = count();
      try {
        const report = await this.#reader.report(events);
        if (mine === this.#generation) use(report, events);
      } catch (error) {
        if (mine === this.#generation) fail(error, events);
      }
      // A long log takes longer to fold: it must not crowd out the run itself.
      const gap = Math.max(LEAST_GAP_MS, 5 * (performance.now() - started));
      await new Promise((resolve) => setTimeout(resolve, gap));
      this.#under = false;
      const again = this.#again;
      this.#again = null;
      again?.();
    };
    if (this.#under) this.#again = () => void work();
    else void work();
  }
}
