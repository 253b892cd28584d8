// What went wrong and is still on the page, and the one way in which requests of the page may fail.
import { untrack } from 'svelte';
import { toErrorValue, type Boundary, type ErrorCode, type ErrorValue } from '../../errors.ts';

/** What to do where whoever failed did not say. */
const HINTS: Readonly<Record<Boundary, string>> = {
  usage: 'Reload the page and try again.',
  gpu: 'Close other pages that use the GPU, or set Engine to cpu, then try again.',
  storage: 'Check that this browser keeps data for this site and has room for it, then try again.',
  model: 'Check the connection and the model’s name, then try again.',
  worker: 'Try again; if it comes back, reload the page. What was recorded is kept.',
  game: 'The run goes on without it; reload the page to try again.',
  judge: 'Try again, or choose another judge.',
  training: 'Try again, or leave out the arm that trains.',
  import: 'Check the connection and the file, then try again.',
  settings: 'The default stands in for it; check the settings before a run.',
  plugin: 'Leave the arm out, or check its name.',
  log: 'The log itself is unchanged: export it, or verify it to see which line is at fault.',
};

const boundaryOf = (code: ErrorCode) => code.slice(0, code.indexOf('/')) as Boundary;

export class Failures {
  list = $state.raw<{ id: number; error: ErrorValue }[]>([]);
  /** Something that the page asked for is under way. */
  busy = $state(false);
  /** How many requests are; no state, since an effect that asks must not run again for having asked. */
  #underWay = 0;
  #next = 1;

  /** The same error twice is shown once. */
  add(error: ErrorValue) {
    const list = untrack(() => this.list);
    if (list.some((item) => item.error.code === error.code && item.error.message === error.message)) return;
    const hint = error.hint || (HINTS[boundaryOf(error.code)] ?? '');
    this.list = [...list, { id: this.#next++, error: { ...error, hint } }];
  }

  dismiss(id: number) {
    this.list = this.list.filter((item) => item.id !== id);
  }

  clear() {
    this.list = [];
  }

  /** Resolves to null where the work failed; the error is then on the page. `code`: of what fails without one. */
  async guard<T>(code: ErrorCode, work: () => T, failed?: () => void): Promise<Awaited<T> | null> {
    this.busy = ++this.#underWay > 0;
    try {
      return await work();
    } catch (error) {
      this.add(toErrorValue(error, code));
      failed?.();
      return null;
    } finally {
      this.busy = --this.#underWay > 0;
    }
  }
}
