// The session on the CPU: how its memory is divided. Knows nothing of plans' ops.
import { pageLimit, PagePool } from '../host/kv.ts';
import { PlanSession } from '../host/session.ts';
import { modelInfo } from '../model/info.ts';
import type { ModelConfig, ModelWeights } from '../types.ts';
import { Executor } from './executor.ts';
import { CpuWeights } from './store.ts';

export interface CpuOptions {
  /** At most this many; default: the machine's processors. */
  threads?: number;
  /** Bytes for everything; default 1 GB. Decides how many tokens are cached and how much of its activations a training step recomputes. */
  memoryBudget?: number;
  /** Fused multiply-adds; default: for models of 10 M parameters and more, see README.md. */
  fused?: boolean;
}

const LARGE = 1e7;

export class CpuSession extends PlanSession<number> {
  readonly engine = 'cpu';
  protected readonly pages = 0; // page tables hold addresses

  private constructor(
    override readonly executor: Executor,
    store: CpuWeights,
    budget: number,
  ) {
    const { config, bytes } = store.layout;
    const left = Math.max(64 << 20, budget - bytes);
    const pool = new PagePool(executor.pages, config, pageLimit(config, left / 2));
    super(executor, store, pool, left * 0.85); // the rest: the adapter's gradient and moments, other resident adapters
  }

  static async create(weights: ModelWeights, options: CpuOptions): Promise<CpuSession> {
    const fused = options.fused ?? modelInfo(weights).parameters >= LARGE;
    const executor = await Executor.create(options.threads, scratchBytes(weights.config), fused);
    try {
      return new CpuSession(executor, new CpuWeights(executor, weights), options.memoryBudget ?? 2 ** 30);
    } catch (error) {
      await executor.close();
      throw error;
    }
  }

  get threads(): number {
    return this.executor.threads;
  }

  get fused(): boolean {
    return this.executor.fused;
  }

  memory(): { bytes: number; peak: number } {
    const { bytes, peak } = this.executor.arena;
    return { bytes, peak };
  }

  protected end(): Promise<void> {
    return this.executor.close();
  }
}

/** Working memory of one thread: the largest that a kernel asks for (see the kernels' use of `scratch`). */
function scratchBytes({ hidden, heads, kvHeads, headDim, ffn, vocab, context }: ModelConfig): number {
  const widest = Math.max(hidden, ffn, heads * headDim);
  const group = heads / kvHeads;
  const needs = [
    ...[1 << 20, 128 * widest * 4 + 8192, 16 * (context + 32), vocab * 8 + 2048],
    8192 + headDim * 128 * 3 + group * (context + 32) * 4,
  ];
  return Math.ceil(Math.max(...needs) / 65536) * 65536;
}
