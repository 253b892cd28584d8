// A model whose worker is made again when its GPU device was lost, given what the one before held, and asked again what it
// was asked. A request's seed makes its answer, so it is the same one, and so is an update played again. Knows no model.
import { CodedError } from '../errors.ts';
import type { LanguageModel } from '../models/types.ts';
import { Holdings } from './holdings.ts';

const MOST = 3;

/** The work goes on, but whoever has been told to stop does not wait for it. Errors: worker/aborted. */
async function unlessAborted(work: Promise<void>, signal?: AbortSignal): Promise<void> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new CodedError('worker/aborted', 'the call was stopped while its model was opened again'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * `open` makes it, and is told whom to tell of its worker's death; `onDeath` hears of the one that is final.
 * Errors: those of `open` and of the model; gpu/lost after the third time.
 */
export async function openRenewed(
  open: (onDeath: (error: CodedError) => void) => Promise<LanguageModel>,
  onDeath?: (error: CodedError) => void,
): Promise<LanguageModel> {
  const state: { death: CodedError | null; left: number; lives: number } = { death: null, left: MOST, lives: 0 };
  /** Under way: every call waits for it, whoever's call found the device lost. */
  let mending: Promise<void> | null = null;
  const fresh = () => {
    state.death = null;
    const life = ++state.lives;
    return open((error) => {
      // Late news of a worker that has been replaced.
      if (life !== state.lives) return;
      state.death = error;
      // Told at once, so that an idle one is not asked in vain.
      if (error.code !== 'gpu/lost') onDeath?.(error);
    });
  };
  let model = await fresh();
  let closed = false;
  const { card } = model;
  const holdings = new Holdings();

  const lostDevice = () => (state.death?.code === 'gpu/lost' ? state.death : null);

  /** A new worker, given what the lost one held. */
  const mend = async (death: CodedError): Promise<void> => {
    if (state.left === 0) {
      onDeath?.(death);
      throw new CodedError('gpu/lost', `${death.message}, ${MOST + 1} times`, death.hint);
    }
    state.left -= 1;
    try {
      model = await fresh();
      if (closed) {
        await model.close();
        throw new CodedError('worker/terminated', `${card.title} is no longer wanted`);
      }
      if (model.card.hash === card.hash) {
        if (model.training) await holdings.restore(model.training);
        return;
      }
    } catch (failure) {
      // Lost once more while it was given what it had held.
      const again = lostDevice();
      if (again) return mend(again);
      onDeath?.(death);
      throw failure;
    }
    onDeath?.(death);
    throw new CodedError('model/changed', `${card.title} is another model than before`, 'start a new run');
  };
  const ask = async <T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    for (;;) {
      // Also before the first try: the next worker may be there, but not yet hold what the last one held.
      if (mending) await unlessAborted(mending, signal);
      const life = state.lives;
      try {
        return await call();
      } catch (error) {
        if (life !== state.lives) continue;
        const lost = lostDevice();
        if (!lost) throw error;
        mending ??= mend(lost).finally(() => (mending = null));
        await unlessAborted(mending, signal);
      }
    }
  };
  return {
    card,
    complete: (requests, signal) => ask(() => model.complete(requests, signal), signal),
    countTokens: (texts) => ask(() => model.countTokens(texts)),
    pieces: (sequences) => ask(() => model.pieces(sequences)),
    ...(card.canTrain ? { training: holdings.training(() => model.training!, ask) } : {}),
    async close() {
      closed = true;
      await model.close();
    },
  };
}
