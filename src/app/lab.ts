// The page's one lab: started when it is first needed, and again when its worker has died.
import type { LabApi, LabMessage } from '../workers/contract.ts';
import { openLab } from '../workers/labClient.ts';

export class LabHolder {
  #lab: ReturnType<typeof openLab> | null = null;
  #listener: (message: LabMessage) => void;

  constructor(listener: (message: LabMessage) => void) {
    this.#listener = listener;
  }

  /** Errors: worker/…, storage/…; the next call tries again. */
  async get(): Promise<LabApi> {
    const held = this.#lab;
    if (
      held &&
      !(await held.then(
        (lab) => lab.dead,
        () => true,
      ))
    )
      return held;
    if (this.#lab === held) this.#lab = openLab(this.#listener);
    return this.#lab!;
  }
}
