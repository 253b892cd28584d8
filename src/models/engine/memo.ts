// Generations by what was asked, so that the same question is computed once: arms that have learnt nothing yet explore the
// same instances with the same seeds. Sound because a sequence depends on its own ids and seed alone. Bounded.
import { hashText } from '../../hash.ts';
import type { Generation } from '../../engine/types.ts';

const MOST = 8192;

export class Memo {
  readonly #held = new Map<string, Generation>();

  /** `question`: everything that the answer depends on. */
  static key(question: unknown): string {
    return hashText(JSON.stringify(question));
  }

  get(key: string): Generation | undefined {
    return this.#held.get(key);
  }

  set(key: string, generation: Generation): void {
    if (generation.finish === 'aborted') return;
    if (this.#held.size >= MOST) this.#held.delete(this.#held.keys().next().value!);
    this.#held.set(key, generation);
  }
}
