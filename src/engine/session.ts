// The engine's front door: weights in, a session out. Chooses the executor; knows nothing of how it works.
import { CpuSession } from './cpu/session.ts';
import type { ModelWeights, Session } from './types.ts';
import type { Gpu } from './webgpu/device.ts';
import type { Tuning } from './webgpu/tuning.ts';

export interface SessionOptions {
  engine?: 'cpu' | 'webgpu';
  /** CPU threads at most; default: the machine's processors. Results do not depend on it. */
  threads?: number;
  /** Bytes for weights, cache and activations together. */
  memoryBudget?: number;
  /** Where WebGPU devices come from; default: navigator.gpu. In Node: Dawn's. */
  gpu?: GPU;
  /** A device that is open already; closed with the session. */
  device?: Gpu;
  /** Where a GPU's choice of kernels is remembered; without it none is timed. */
  tuning?: Tuning;
}

/** Errors: model/tensor, model/dtype, model/shape, model/memory; for webgpu the gpu/… codes of webgpu/session.ts, and gpu/wrong (known.ts). */
export async function createSession(weights: ModelWeights, options: SessionOptions = {}): Promise<Session> {
  const { engine = 'cpu', ...more } = options;
  switch (engine) {
    case 'cpu':
      return CpuSession.create(weights, more);
    case 'webgpu': {
      // Most pages never need it.
      const [{ WebGpuSession }, { checkAnswers }] = await Promise.all([
        import('./webgpu/session.ts'),
        import('./known.ts'),
      ]);
      const check = (device: Gpu) => checkAnswers((known) => WebGpuSession.create(known, { device }));
      return WebGpuSession.create(weights, { ...more, check, owned: true });
    }
    default:
      return engine satisfies never;
  }
}
