// What a request must be before anything is computed. Knows no executor.
import { CodedError } from '../../errors.ts';
import type { GenerateRequest, ModelConfig } from '../types.ts';

/** Errors: model/empty, model/context, model/token, model/request. */
export function checkRequests(config: ModelConfig, requests: readonly GenerateRequest[]): void {
  requests.forEach(({ ids, sampling, tokenText }, i) => {
    checkIds(config, ids, `prompt ${i}`);
    if ((sampling.stop?.length || sampling.greedyAfter !== undefined) && !tokenText) {
      throw new CodedError('model/request', 'stop and greedyAfter need tokenText.');
    }
  });
}

export function checkIds(config: ModelConfig, ids: ArrayLike<number>, what: string): void {
  if (ids.length === 0) throw new CodedError('model/empty', `${what} has no tokens.`);
  if (ids.length > config.context) {
    const hint = 'Shorten it: drop history, or choose a model with a longer context.';
    throw new CodedError('model/context', `${what} has ${ids.length} tokens; the model takes ${config.context}.`, hint);
  }
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (!Number.isInteger(id) || id < 0 || id >= config.vocab) {
      throw new CodedError('model/token', `${what} holds ${id}, which is no token of this model.`);
    }
  }
}
