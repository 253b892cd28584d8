// A model worker without weights: the random player behind the same contract, slow enough to be interrupted.
import * as Comlink from 'comlink';
import { randomPlayer } from '../../src/gym/testing.ts';
import type { TrainingPort } from '../../src/models/types.ts';
import type { ModelWorkerApi } from '../../src/workers/remoteModel.ts';
import { serve } from '../../src/workers/wire.ts';

const player = randomPlayer();
const aborted = new Set<number>();
const none = () => Promise.reject(new Error('a script cannot be trained'));

const api: ModelWorkerApi = {
  async open({ model }, progress) {
    if (model === 'endless') await new Promise(() => undefined);
    for (const done of [1, 2, 3]) progress('weights', done, 3);
    return { ...player.card, id: model, canTrain: model === 'trainable' };
  },
  async complete(call, requests) {
    const answered: Awaited<ReturnType<typeof player.complete>> = [];
    for (const request of requests) {
      if (!aborted.has(call)) await new Promise((resolve) => setTimeout(resolve, 1));
      const [completion] = await player.complete([request]);
      answered.push(aborted.has(call) ? { ...completion!, finish: 'aborted' } : completion!);
    }
    return answered;
  },
  abort: async (call) => void aborted.add(call),
  countTokens: (texts) => player.countTokens(texts),
  pieces: (sequences) => player.pieces(sequences),
  training: Comlink.proxy({
    fresh: async (lora, seed) => ({ hash: `${lora.rank} ${seed}`, norms: { a: 1 } }),
    load: none,
    files: async () => ({ config: '{}', tensors: new Uint8Array([1, 2, 3]) }),
    start: none,
    step: none,
    finish: none,
    release: none,
    score: async (sequences) => sequences.map((ids) => ids.map(() => -1)),
    baseHash: async () => 'base',
    checkGradient: none,
  } satisfies Required<TrainingPort>),
  close: async () => undefined,
};

serve(api);
