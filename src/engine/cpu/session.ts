// The session on the CPU: weights, adapters, pages and plans put together behind the engine's public interface.
import { CodedError } from '../../errors.ts';
import type { Plan } from '../plan/builder.ts';
import { loraLayout } from '../plan/shape.ts';
import type { AdamW, Adapter, GenerateRequest, Generation, ModelConfig, ModelWeights } from '../types.ts';
import type { Session, TokenScores, Trainer } from '../types.ts';
import { AdapterStore, loraUse, packAdapter, unpackAdapter } from './adapters.ts';
import { checkAdapter } from '../model/adapter.ts';
import { type Bind, Executor } from './executor.ts';
import { checkIds, checkRequests, generate, type GenerateHost, type GenerateOptions, pageLimit } from './generate.ts';
import { PagePool } from './kv.ts';
import { score } from './score.ts';
import { Sequence } from './sequence.ts';
import { WeightStore } from './store.ts';
import { CpuTrainer, type Subject, type TrainHost } from './trainer.ts';

export interface CpuOptions {
  /** At most this many; default: the machine's processors. */
  threads?: number;
  /** Bytes for everything; default 2 GB. Decides how many tokens are cached and of how many layers a training step recomputes activations. */
  memoryBudget?: number;
}

export class CpuSession implements Session, GenerateHost, TrainHost {
  readonly engine = 'cpu';
  readonly config: ModelConfig;
  readonly dtype: (name: string) => number;
  readonly pool: PagePool;
  readonly plans = new Map<string, Plan>();
  readonly activationBytes: number;
  private readonly adapters: AdapterStore;
  private tail: Promise<unknown> = Promise.resolve();
  private serial = 0;
  private closed = false;

  private constructor(
    readonly executor: Executor,
    private readonly store: WeightStore,
    budget: number,
  ) {
    this.config = store.config;
    this.dtype = store.dtype;
    this.adapters = new AdapterStore(executor, store.config);
    const left = Math.max(64 << 20, budget - store.region.bytes);
    this.pool = new PagePool(executor.arena, store.config, pageLimit(store.config, left / 3));
    this.activationBytes = left / 4; // beside the cache there are the adapter's gradient and moments, and the process
  }

  static async create(weights: ModelWeights, options: CpuOptions): Promise<CpuSession> {
    const executor = await Executor.create(options.threads, scratchBytes(weights.config));
    try {
      return new CpuSession(executor, new WeightStore(executor, weights), options.memoryBudget ?? 2 ** 31);
    } catch (error) {
      await executor.close();
      throw error;
    }
  }

  get threads(): number {
    return this.executor.threads;
  }

  readonly bind: Bind = (name) => {
    if (name === 'rope') return this.store.ropeAddress;
    if (name === 'kv') return 0; // page tables hold addresses
    return this.adapters.address(name) ?? this.store.address(name);
  };

  ensureRope = (positions: number): void => this.store.ensureRope(positions);

  queue<T>(work: () => T | Promise<T>): Promise<T> {
    const run = async () => {
      if (this.closed) throw new CodedError('model/closed', 'The session is closed.');
      return work();
    };
    const result = this.tail.then(run, run);
    this.tail = result.catch(() => undefined);
    return result;
  }

  generate(requests: GenerateRequest[], options: GenerateOptions = {}): Promise<Generation[]> {
    return this.queue(() => {
      checkRequests(this.config, requests);
      const keys = new Set<string>();
      const sequences = requests.map((request, i) => {
        const { key, use } = this.adapters.load(request.adapter, keys);
        keys.add(key);
        return new Sequence(i, request, key, use, this.config);
      });
      return generate(this, sequences, options);
    });
  }

  score(
    sequences: ArrayLike<number>[],
    options: { adapter?: Adapter | null; last?: boolean } = {},
  ): Promise<TokenScores[]> {
    return this.queue(() => {
      sequences.forEach((ids, i) => checkIds(this.config, ids, `sequence ${i}`));
      return score(this, sequences, this.adapters.load(options.adapter, new Set()).use, options.last ?? false);
    });
  }

  trainAdapter(adapter: Adapter, optimizer: AdamW): Trainer {
    checkAdapter(adapter, this.config);
    const { arena } = this.executor;
    const layout = loraLayout(this.config, adapter.config);
    const parameters = arena.take(layout.words * 4);
    const values = () => arena.floats(parameters, layout.words);
    packAdapter(adapter.data, adapter, layout, values());
    const unpack = (flat: Float32Array) => unpackAdapter(flat, adapter, layout);
    const subject: Subject = {
      flat: { words: layout.words, offsets: new Map() },
      lora: loraUse(`trained:${this.serial++}`, layout, adapter.config),
      parameters,
      named: (flat) => {
        const all = unpack(flat);
        return new Map(
          adapter.layout.map(({ name, shape, offset }) => {
            return [name, { shape: [...shape], data: all.slice(offset, offset + shape[0] * shape[1]) }];
          }),
        );
      },
      toPublic: unpack,
      fromPublic: (from, flat) => packAdapter(from, adapter, layout, flat),
      adapter: () => ({ config: adapter.config, layout: adapter.layout, data: unpack(values()) }),
      weights: () => {
        throw new CodedError('training/kind', 'Only a trainer of all weights has weights.');
      },
      changed: () => undefined,
      dispose: () => arena.give(parameters),
    };
    return new CpuTrainer(this, subject, optimizer);
  }

  trainAll(optimizer: AdamW): Trainer {
    const { store } = this;
    const offsets = store.flat();
    if (!offsets) {
      throw new CodedError('training/dtype', 'All weights train only when all are stored as f32.', 'Train an adapter.');
    }
    const words = store.region.bytes / 4;
    const subject: Subject = {
      flat: { words, offsets },
      lora: null,
      parameters: store.region.address,
      named: (flat) => new Map(store.values(flat)),
      toPublic: (flat) => store.toPublic(flat),
      fromPublic: (from, flat) => store.fromPublic(from, flat),
      adapter: () => {
        throw new CodedError('training/kind', 'Only a LoRA trainer has an adapter.');
      },
      weights: () => store.copy(),
      changed: () => this.pool.clear(), // keys and values of the old weights
      dispose: () => undefined,
    };
    return new CpuTrainer(this, subject, optimizer);
  }

  baseHash(): string {
    return this.store.hash();
  }

  memory(): { bytes: number; peak: number } {
    const { bytes, peak } = this.executor.arena;
    return { bytes, peak };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    await this.tail;
    this.closed = true;
    await this.executor.close();
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
