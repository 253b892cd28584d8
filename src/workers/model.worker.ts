// A language model in a worker of its own, so that neither page nor lab waits for its arithmetic.
// Knows no game and no log.
import * as Comlink from 'comlink';
import { CodedError } from '../errors.ts';
import { openEngineModel } from '../models/engine/index.ts';
import type { LanguageModel, TrainingPort } from '../models/types.ts';
import { fetchModel, modelUrl } from './modelFiles.ts';
import type { ModelWorkerApi } from './remoteModel.ts';
import { serve } from './wire.ts';

let model: LanguageModel | null = null;
const calls = new Map<number, AbortController>();

function opened(): LanguageModel {
  if (!model) throw new CodedError('model/not-open', 'no model was opened', 'open one first');
  return model;
}

function trainer(): TrainingPort {
  const { training } = opened();
  if (!training) throw new CodedError('training/unsupported', 'this model cannot be trained here', 'choose another');
  return training;
}

const api: ModelWorkerApi = {
  async open({ model: name, engine, threads, base }, progress) {
    const files = await fetchModel(modelUrl(name, base), {
      progress: (loaded, total) => progress('download', loaded, total),
    });
    model = await openEngineModel(files, {
      id: name,
      title: name,
      ...(engine ? { engine } : {}),
      ...(threads > 0 ? { threads } : {}),
      onProgress: (read, all) => progress('weights', read, all),
    });
    return model.card;
  },
  async complete(call, requests) {
    const controller = new AbortController();
    calls.set(call, controller);
    try {
      return await opened().complete(requests, controller.signal);
    } finally {
      calls.delete(call);
    }
  },
  async abort(call) {
    calls.get(call)?.abort();
  },
  countTokens: async (texts) => opened().countTokens(texts),
  pieces: async (sequences) => opened().pieces(sequences),
  training: Comlink.proxy({
    fresh: async (lora, seed) => trainer().fresh(lora, seed),
    load: async (files) => trainer().load(files),
    files: async (adapter) => trainer().files(adapter),
    start: async (adapter, settings, optimizer) => trainer().start(adapter, settings, optimizer),
    step: async (examples, normalizer, lr) => trainer().step(examples, normalizer, lr),
    finish: async () => trainer().finish(),
    release: async (adapter) => trainer().release(adapter),
    score: async (sequences, adapter) => trainer().score(sequences, adapter),
    baseHash: async () => trainer().baseHash(),
  } satisfies TrainingPort),
  async close() {
    await model?.close();
    model = null;
  },
};

serve(api);
