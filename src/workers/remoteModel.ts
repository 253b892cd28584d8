// A LanguageModel that lives in a worker, held from here as if it were near. An abort ends the work in there, not only
// the waiting for it. Knows nothing of engines.
import * as Comlink from 'comlink';
import type { Completion, CompletionRequest, LanguageModel, ModelCard, TrainingPort } from '../models/types.ts';
import type { WantedEngine } from '../models/engine/choose.ts';
import { WorkerOwner, type OwnerOptions } from './owner.ts';
import { isWebllm } from '../models/webllm/name.ts';
import { modelWorker, webllmWorker } from './spawn.ts';

export interface ModelSpec {
  /** `nano`, the address of a folder in Hugging Face layout or of a GGUF file, or `webllm:…` (models/webllm/name.ts). */
  model: string;
  /** Which executor computes; default: auto. */
  engine?: WantedEngine;
  /** 0: as many as the machine offers. */
  threads: number;
  /** MB; absent or 0: the engine's default. */
  memory?: number;
  /** What relative addresses are relative to: the page's folder. */
  base: string;
  /** How long WebLLM may be silent while it loads or answers; absent: its own patience. */
  stallMs?: number;
}

export type LoadProgress = (what: 'download' | 'weights' | 'shaders', loaded: number, total: number | null) => void;

/** What crosses; the worker's side is modelApi.ts. */
export interface ModelWorkerApi {
  open(spec: ModelSpec, progress: LoadProgress): Promise<ModelCard>;
  /** `call` names the work for `abort`. */
  complete(call: number, requests: readonly CompletionRequest[]): Promise<Completion[]>;
  abort(call: number): Promise<void>;
  countTokens(texts: readonly string[]): Promise<number[]>;
  pieces(sequences: readonly (readonly number[])[]): Promise<string[][]>;
  training: Required<TrainingPort> & Comlink.ProxyMarked;
  close(): Promise<void>;
}

export interface RemoteOptions {
  create?: () => Worker;
  progress?: LoadProgress;
  signal?: AbortSignal;
  /** Told when the worker dies: what it held (weights, adapters, trainer) is gone. */
  onDeath?: OwnerOptions['onDeath'];
}

/** Errors: model/… of the worker's open, worker/… */
export async function openRemoteModel(spec: ModelSpec, options: RemoteOptions = {}): Promise<LanguageModel> {
  const { create = isWebllm(spec.model) ? webllmWorker : modelWorker, progress, signal, onDeath } = options;
  const owner = new WorkerOwner<ModelWorkerApi>({
    name: 'model worker',
    create,
    // A call must be able to overtake the one that it aborts.
    parallel: true,
    ...(onDeath ? { onDeath } : {}),
  });
  const tell: LoadProgress = (...args) => progress?.(...args);
  try {
    const abortable = signal ? { signal, endOnAbort: true } : {};
    const card = await owner.run((api) => api.open(spec, Comlink.proxy(tell)), abortable);
    return remoteModel(owner, card);
  } catch (error) {
    owner.terminate();
    throw error;
  }
}

export function remoteModel(owner: WorkerOwner<ModelWorkerApi>, card: ModelCard): LanguageModel {
  let next = 0;
  return {
    card,
    async complete(requests, signal) {
      const call = next++;
      // What was written so far comes back with `aborted` as its finish.
      const abort = () => void owner.run((api) => api.abort(call)).catch(() => undefined);
      signal?.addEventListener('abort', abort);
      try {
        const running = owner.run((api) => api.complete(call, requests));
        if (signal?.aborted) abort();
        return await running;
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
    countTokens: (texts) => owner.run((api) => api.countTokens(texts)),
    pieces: (sequences) => owner.run((api) => api.pieces(sequences)),
    ...(card.canTrain ? { training: remoteTraining(owner) } : {}),
    async close() {
      await owner.run((api) => api.close(), { timeoutMs: 2000 }).catch(() => undefined);
      owner.terminate();
    },
  };
}

const remoteTraining = (owner: WorkerOwner<ModelWorkerApi>): TrainingPort => ({
  fresh: (lora, seed) => owner.run((api) => api.training.fresh(lora, seed)),
  load: (files) => owner.run((api) => api.training.load(files)),
  files: (adapter) => owner.run((api) => api.training.files(adapter)),
  start: (adapter, settings, optimizer) => owner.run((api) => api.training.start(adapter, settings, optimizer)),
  step: (examples, normalizer, lr) => owner.run((api) => api.training.step(examples, normalizer, lr)),
  finish: () => owner.run((api) => api.training.finish()),
  release: (adapter) => owner.run((api) => api.training.release(adapter)),
  score: (sequences, adapter) => owner.run((api) => api.training.score(sequences, adapter)),
  baseHash: () => owner.run((api) => api.training.baseHash()),
  checkGradient: (adapter, example, tensor, progress = () => undefined) =>
    owner.run((api) => api.training.checkGradient(adapter, example, tensor, Comlink.proxy(progress))),
});
