// What the page may ask of the lab worker, and what it is told. Values only: everything survives structured clone.
import type { ErrorValue } from '../errors.ts';
import type { Settings } from '../gym/settings.ts';
import type { Live } from '../gym/live.ts';
import type { Verification } from '../gym/verify.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunRecord } from '../log/store.ts';
import type { GradientCheck, ModelCard } from '../models/types.ts';
import type { TrainingProof } from './proof.ts';

export type { GradientCheck, TrainingProof };

export type RunState = 'idle' | 'loading' | 'running' | 'paused' | 'done' | 'failed';

export type LabMessage =
  | { kind: 'state'; state: RunState; runId: string | null }
  | { kind: 'event'; runId: string; event: RunEvent }
  | { kind: 'live'; runId: string; live: Live }
  | { kind: 'loading'; what: string; loaded: number; total: number | null }
  | { kind: 'error'; runId: string | null; error: ErrorValue };

export interface LabApi {
  /** Messages from now on go to this listener (one page, one listener). */
  listen(listener: (message: LabMessage) => void): Promise<void>;
  models(): Promise<ModelCard[]>;
  /** Opens a run and starts it; resolves to its id once run.opened is stored. */
  start(settings: Settings, from?: { adapter?: string; memory?: string; runId: string }): Promise<string>;
  /** Goes on with an unfinished stored run. */
  resume(runId: string): Promise<void>;
  /** Takes effect after the step under way; resolves when the log stands still. */
  pause(): Promise<void>;
  /** After pause: plays one more episode, then pauses again. */
  stepEpisode(): Promise<void>;
  continue(): Promise<void>;
  /** Closes the log as `stopped`. */
  stop(): Promise<void>;
  runs(): Promise<RunRecord[]>;
  events(runId: string): Promise<RunEvent[]>;
  blob(hash: string): Promise<Uint8Array | null>;
  remove(runId: string): Promise<void>;
  /** JSONL; with `blobs`, adapters and memories follow as lines that the chain leaves out. */
  exportRun(runId: string, options?: { blobs?: boolean }): Promise<Blob>;
  /** Reads a log, plain or gzip, as it comes; validates, then stores. Resolves to the new run's id. Errors: import/…, naming the line. */
  importRun(file: Blob): Promise<string>;
  verify(runId: string): Promise<Verification>;
  /**
   * Looks at a run's adapter on the living model: its hash, the base weights' fingerprint, and the gradient of one tensor
   * against finite differences. Also between two steps of that run. Errors: storage/locked, worker/busy, and proof.ts's.
   */
  proveTraining(
    runId: string,
    adapter: string,
    tensor: string,
    progress: (done: number, total: number) => void,
  ): Promise<TrainingProof>;
}
