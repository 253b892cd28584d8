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

  ask(count: () => number, use: (report: Report) => void, fail: (error: unknown) => void) {
    const mine = this.#generation;
    const work = async () => {
      this.#under = true;
      const started = performance.now();
      try {
        const report = await this.#reader.report(count());
        if (mine === this.#generation) use(report);
      } catch (error) {
        if (mine === this.#generation) fail(error);
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
