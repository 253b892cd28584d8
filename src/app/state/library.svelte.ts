// What the lab keeps: runs, models, logs and blobs, asked for by the page. Shows nothing itself.
import { askToKeep, type Keeping } from '../../log/keeping.ts';
import { keptWords } from '../words.ts';
import type { ModelCard } from '../../models/types.ts';
import type { Verification } from '../../gym/verify.ts';
import type { RunRecord } from '../../log/store.ts';
import type { LabApi } from '../../workers/contract.ts';
import type { Failures } from './failures.svelte.ts';
import type { Recording } from './recordings.ts';

/** A stored run by its id, or a recording as it was published. */
export type Shown = { runId: string } | { recording: Recording } | null;

export class Library {
  models = $state.raw<ModelCard[]>([]);
  runs = $state.raw<RunRecord[]>([]);
  verified = $state.raw<Verification | null>(null);
  /** What the browser said when it was asked to keep the runs; null: not asked yet. */
  keeping = $state.raw<Keeping | null>(null);
  /** The same in words; '' before. */
  readonly kept = $derived(keptWords(this.keeping));
  #lab: () => Promise<LabApi>;
  #failures: Failures;

  constructor(lab: () => Promise<LabApi>, failures: Failures) {
    this.#lab = lab;
    this.#failures = failures;
  }

  async refreshRuns() {
    await this.#failures.guard('storage/runs', async () => {
      this.runs = await (await this.#lab()).runs();
    });
  }

  /** Some browsers ask the person, some decide alone; once a visit is enough. */
  async keep() {
    await this.#failures.guard('storage/keep', async () => (this.keeping ??= await askToKeep()));
  }

  async refreshModels() {
    await this.#failures.guard('model/list', async () => {
      this.models = await (await this.#lab()).models();
    });
  }

  /** The log as a file. */
  exported(shown: Shown, blobs = false): Promise<Blob | null> {
    return this.#failures.guard('storage/export', async () => {
      if (!shown) return null;
      if ('runId' in shown) return (await this.#lab()).exportRun(shown.runId, { blobs });
      return shown.recording.blob();
    });
  }

  /** A recording is stored for as long as it takes. */
  async verify(shown: Shown) {
    this.verified = null;
    await this.#failures.guard('log/verify', async () => {
      if (!shown) return;
      const lab = await this.#lab();
      if ('runId' in shown) this.verified = await lab.verify(shown.runId);
      else {
        const borrowed = await lab.importRun(await shown.recording.blob());
        try {
          this.verified = await lab.verify(borrowed);
        } finally {
          await lab.remove(borrowed);
        }
      }
    });
  }

  blob(hash: string) {
    return this.#failures.guard('storage/blob', async () => (await this.#lab()).blob(hash));
  }
}
