// Resuming is reading: while recorded events last, the cycle takes them from here instead of computing them again.
import { CodedError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';

/** Lines that say how a run was interrupted, not what it found. */
const isInterruption = (event: RunEvent) =>
  event.type === 'run.paused' || event.type === 'run.resumed' || event.type === 'run.failed';

export class Journal {
  private readonly recorded: RunEvent[];
  private at = 0;

  constructor(past: readonly RunEvent[]) {
    this.recorded = past.filter((event) => !isInterruption(event));
  }

  get next(): RunEvent | undefined {
    return this.recorded[this.at];
  }

  get exhausted(): boolean {
    return this.at >= this.recorded.length;
  }

  /**
   * The next recorded event, or null when the log has come to its end.
   * Errors: log/not-this-run when the log holds something else at this place.
   */
  take<T extends RunEvent['type']>(type: T, fits: (event: Extract<RunEvent, { type: T }>) => boolean = () => true) {
    const event = this.next;
    if (!event) return null;
    if (event.type !== type || !fits(event as Extract<RunEvent, { type: T }>)) {
      throw new CodedError(
        'log/not-this-run',
        `line ${event.n} is ${event.type}, where this run would write ${type}`,
        'the log was made by other settings or by another version; start a new run',
      );
    }
    this.at += 1;
    return event as Extract<RunEvent, { type: T }>;
  }
}
