// What went wrong and is still on the page, and the one way in which requests of the page may fail.
import { toErrorValue, type ErrorCode, type ErrorValue } from '../../errors.ts';

export class Failures {
  list = $state.raw<{ id: number; error: ErrorValue }[]>([]);
  /** A request to the lab is under way. */
  busy = $state(false);
  #next = 1;

  /** The same error twice is shown once. */
  add(error: ErrorValue) {
    if (this.list.some((item) => item.error.code === error.code && item.error.message === error.message)) return;
    this.list = [...this.list, { id: this.#next++, error }];
  }

  dismiss(id: number) {
    this.list = this.list.filter((item) => item.id !== id);
  }

  clear() {
    this.list = [];
  }

  /** Resolves to null where the work failed; the error is then on the page. */
  async guard<T>(code: ErrorCode, work: () => Promise<T>, failed?: () => void): Promise<T | null> {
    this.busy = true;
    try {
      return await work();
    } catch (error) {
      this.add(toErrorValue(error, code));
      failed?.();
      return null;
    } finally {
      this.busy = false;
    }
  }
}
