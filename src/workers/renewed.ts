// A model whose worker is made again when its GPU device was lost, and asked again what it was asked: for models that hold
// nothing but what they were opened with. A request's seed makes its answer, so it is the same one. Knows no model.
import { CodedError } from '../errors.ts';
import type { LanguageModel } from '../models/types.ts';

const MOST = 3;

/**
 * `open` makes it, and is told whom to tell of its worker's death; `onDeath` hears of the one that is final.
 * Errors: those of `open` and of the model; gpu/lost after the third time.
 */
export async function openRenewed(
  open: (onDeath: (error: CodedError) => void) => Promise<LanguageModel>,
  onDeath?: (error: CodedError) => void,
): Promise<LanguageModel> {
  const state: { death: CodedError | null; left: number } = { death: null, left: MOST };
  const fresh = () => {
    state.death = null;
    return open((error) => (state.death = error));
  };
  let model = await fresh();
  const { card } = model;

  /** Throws what cannot be mended. */
  const mend = async (error: unknown) => {
    const { death } = state;
    if (!death) throw error;
    if (death.code !== 'gpu/lost' || state.left === 0) {
      onDeath?.(death);
      throw death.code === 'gpu/lost'
        ? new CodedError('gpu/lost', `${death.message}, ${MOST + 1} times`, death.hint)
        : error;
    }
    state.left -= 1;
    try {
      model = await fresh();
      if (model.card.hash === card.hash) return;
    } catch (failure) {
      onDeath?.(death);
      throw failure;
    }
    onDeath?.(death);
    throw new CodedError('model/changed', `${card.title} is another model than before`, 'start a new run');
  };
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        await mend(error);
      }
    }
  };
  return {
    card,
    complete: (requests, signal) => ask(() => model.complete(requests, signal)),
    countTokens: (texts) => ask(() => model.countTokens(texts)),
    pieces: (sequences) => ask(() => model.pieces(sequences)),
    close: () => model.close(),
  };
}
