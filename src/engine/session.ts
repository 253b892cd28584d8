// The engine's front door: weights in, a session out. Chooses the executor; knows nothing of how it works.
import { CodedError } from '../errors.ts';
import { CpuSession } from './cpu/session.ts';
import type { ModelWeights, Session } from './types.ts';

export interface SessionOptions {
  engine?: 'cpu' | 'webgpu';
  /** CPU threads at most; default: the machine's processors. Results do not depend on it. */
  threads?: number;
  /** Bytes for weights, cache and activations together. */
  memoryBudget?: number;
}

/** Errors: model/tensor, model/dtype, model/shape, model/memory, model/engine. */
export async function createSession(weights: ModelWeights, options: SessionOptions = {}): Promise<Session> {
  const { engine = 'cpu' } = options;
  if (engine !== 'cpu') throw new CodedError('model/engine', `There is no ${engine} executor yet.`, 'Use the CPU.');
  return CpuSession.create(weights, options);
}
