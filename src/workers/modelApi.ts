// The worker's side of a remote model, whatever opens it. Knows no engine, no game and no log.
import * as Comlink from 'comlink';
import { CodedError } from '../errors.ts';
import type { LanguageModel, TrainingPort } from '../models/types.ts';
import type { LoadProgress, ModelSpec, ModelWorkerApi } from './remoteModel.ts';
import { giveUp } from './wire.ts';

export function modelApi(open: (spec: ModelSpec, progress: LoadProgress) => Promise<LanguageModel>): ModelWorkerApi {
  let model: LanguageModel | null = null;
  const calls = new Map<number, AbortController>();

  function opened(): LanguageModel {
    if (!model) throw new CodedError('model/not-open', 'no model was opened', 'open one first');
    return model;
  }

  /** A lost device takes everything with it: the worker asks to be ended, and whoever owns it may make another. */
  async function alive<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CodedError && error.code === 'gpu/lost') giveUp(error);
      throw error;
    }
  }

  function trainer(): TrainingPort {
    const { training } = opened();
    if (!training) throw new CodedError('training/unsupported', 'this model cannot be trained here', 'choose another');
    return training;
  }

  return {
    async open(spec, progress) {
      model = await open(spec, progress);
      return model.card;
    },
    async complete(call, requests) {
      const controller = new AbortController();
      calls.set(call, controller);
      try {
        return await alive(() => opened().complete(requests, controller.signal));
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
      fresh: async (lora, seed) => alive(async () => trainer().fresh(lora, seed)),
      load: async (files) => alive(async () => trainer().load(files)),
      files: async (adapter) => alive(async () => trainer().files(adapter)),
      start: async (adapter, settings, optimizer) => alive(async () => trainer().start(adapter, settings, optimizer)),
      step: async (examples, normalizer, lr) => alive(async () => trainer().step(examples, normalizer, lr)),
      finish: async () => alive(async () => trainer().finish()),
      release: async (adapter) => alive(async () => trainer().release(adapter)),
      score: async (sequences, adapter) => alive(async () => trainer().score(sequences, adapter)),
      baseHash: async () => alive(async () => trainer().baseHash()),
      async checkGradient(...args) {
        const port = trainer();
        if (!port.checkGradient) throw new CodedError('training/unsupported', 'no gradient can be checked here');
        return alive(() => port.checkGradient!(...args));
      },
    } satisfies Required<TrainingPort>),
    async close() {
      await model?.close();
      model = null;
    },
  };
}
