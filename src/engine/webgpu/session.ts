// The session on a GPU: whose device it is and how its memory is divided. Knows nothing of plans' ops.
import { pageLimit, PagePool } from '../host/kv.ts';
import { PlanSession } from '../host/session.ts';
import type { ModelWeights } from '../types.ts';
import { settleVariants } from './autotune.ts';
import { Gpu } from './device.ts';
import { GpuExecutor, type Place } from './executor.ts';
import { GpuPages } from './pages.ts';
import type { Tuning } from './tuning.ts';
import { described } from './variants.ts';
import { GpuWeights } from './weights.ts';

export interface WebGpuOptions {
  /** Bytes for everything; default 1 GB. Decides how many tokens are cached and when activations are recomputed. */
  memoryBudget?: number;
  /** Where devices come from; default: navigator.gpu. In Node: Dawn's. */
  gpu?: GPU;
  /** A device that is open already. */
  device?: Gpu;
  /** Whether the device is closed with the session; default: only if it was opened for it. */
  owned?: boolean;
  /** Where the choice of kernels is remembered; without it the usual ones run, and nothing is timed. */
  tuning?: Tuning;
  /** Run on the device before it is used; what it throws is thrown on. */
  check?: (device: Gpu) => Promise<void>;
}

export class WebGpuSession extends PlanSession<Place> {
  readonly engine = 'webgpu';
  readonly threads = 1;

  private constructor(
    override readonly executor: GpuExecutor,
    protected override readonly store: GpuWeights,
    private readonly memoryPages: GpuPages,
    budget: number,
    private readonly owned: boolean,
  ) {
    const { config, bytes } = store.layout;
    const { largest } = executor.gpu;
    const left = Math.max(64 << 20, budget - bytes);
    const limit = pageLimit(config, left / 3, largest);
    super(executor, store, new PagePool(memoryPages, config, limit), Math.min(largest, left / 2));
  }

  /** Errors: gpu/unavailable, gpu/device, gpu/kernel, gpu/memory, and those of the weights. */
  static async create(weights: ModelWeights, options: WebGpuOptions): Promise<WebGpuSession> {
    const gpu = options.device ?? (await Gpu.open(options.gpu));
    const { owned = options.device === undefined } = options;
    try {
      await settleVariants(gpu, options.tuning, options.check);
      const executor = new GpuExecutor(gpu);
      const store = new GpuWeights(executor, weights);
      const session = new WebGpuSession(
        executor,
        store,
        new GpuPages(executor),
        options.memoryBudget ?? 2 ** 30,
        owned,
      );
      await gpu.settled();
      return session;
    } catch (error) {
      if (owned) gpu.close();
      throw error;
    }
  }

  get kernels(): string {
    return described(this.executor.variants);
  }

  protected get pages(): Place {
    return this.memoryPages.place;
  }

  memory(): { bytes: number; peak: number } {
    const { bytes, peak } = this.executor.gpu;
    return { bytes, peak };
  }

  protected async end(): Promise<void> {
    this.executor.close();
    this.store.close();
    this.memoryPages.close();
    if (this.owned) this.executor.gpu.close();
  }
}
