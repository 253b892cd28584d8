// What a model's worker holds beyond what it was opened with: adapters, and an update under way. Kept here, too, so that
// the next worker can be given it when a device was lost. Knows no engine.
import type { AdapterFiles, TrainingPort } from '../models/types.ts';

type Start = Parameters<TrainingPort['start']>;
type Step = Parameters<TrainingPort['step']>;

/** `ask` makes a call, again where its worker died of it and could be mended; `port` is that of the worker now. */
export class Holdings {
  readonly #adapters = new Map<string, AdapterFiles>();
  #update: { start: Start; steps: Step[] } | null = null;

  /** Gives a new worker what the one before held: its adapters, and the steps of the update that was under way. */
  async restore(port: TrainingPort): Promise<void> {
    for (const files of this.#adapters.values()) await port.load(files);
    if (!this.#update) return;
    await port.start(...this.#update.start);
    for (const step of this.#update.steps) await port.step(...step);
  }

  training(port: () => TrainingPort, ask: <T>(call: () => Promise<T>) => Promise<T>): TrainingPort {
    const keep = async (hash: string) => {
      if (!this.#adapters.has(hash)) this.#adapters.set(hash, await ask(() => port().files(hash)));
    };
    return {
      fresh: async (lora, seed) => {
        const made = await ask(() => port().fresh(lora, seed));
        await keep(made.hash);
        return made;
      },
      load: async (files) => {
        const made = await ask(() => port().load(files));
        await keep(made.hash);
        return made;
      },
      files: async (adapter) => this.#adapters.get(adapter) ?? ask(() => port().files(adapter)),
      start: async (...start) => {
        this.#update = null;
        await ask(() => port().start(...start));
        this.#update = { start, steps: [] };
      },
      step: async (...step) => {
        const result = await ask(() => port().step(...step));
        this.#update?.steps.push(step);
        return result;
      },
      finish: async () => {
        // In one call: a worker that dies between the two has the update played again.
        const { finished, files } = await ask(async () => {
          const finished = await port().finish();
          return { finished, files: await port().files(finished.adapter.hash) };
        });
        this.#adapters.set(finished.adapter.hash, files);
        this.#update = null;
        return finished;
      },
      release: async (adapter) => {
        this.#adapters.delete(adapter);
        await ask(() => port().release(adapter));
      },
      score: (sequences, adapter) => ask(() => port().score(sequences, adapter)),
      baseHash: () => ask(() => port().baseHash()),
      ...(port().checkGradient ? { checkGradient: (...args) => ask(() => port().checkGradient!(...args)) } : {}),
    };
  }
}
