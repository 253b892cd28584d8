// The session on any executor: weights, adapters, pages and plans put together behind the engine's public interface.
// Knows nothing of how an executor computes.
import { CodedError } from '../../errors.ts';
import { checkAdapter } from '../model/adapter.ts';
import type { Plan } from '../plan/builder.ts';
import { loraLayout } from '../plan/shape.ts';
import type { AdamW, Adapter, GenerateRequest, Generation, LoraConfig, ModelConfig, TrainingMemory } from '../types.ts';
import type { Session, TokenScores, Trainer } from '../types.ts';
import { AdapterStore, loraUse, packAdapter, unpackAdapter } from './adapters.ts';
import { generate, type GenerateHost, type GenerateOptions, rowsWithin } from './generate.ts';
import type { PagePool } from './kv.ts';
import { passesWithin } from './passes.ts';
import type { TensorLayout } from './layout.ts';
import type { Awaitable, Bind, Machine } from './machine.ts';
import { checkIds, checkRequests } from './requests.ts';
import { score } from './score.ts';
import { Sequence } from './sequence.ts';
import { PlanTrainer, type Subject, type TrainHost, trainingMemory } from './trainer.ts';

/** The base weights where an executor keeps them, and the rope table. */
export interface WeightStore<B> {
  readonly layout: TensorLayout;
  place(name: string): B;
  /** All tensors as one flat f32 buffer in the layout's order, or null where they are not that. */
  readonly flat: B | null;
  readonly rope: B;
  /** The rope table for at least `positions` positions. */
  ensureRope(positions: number): void;
  hash(): Awaitable<string>;
}

export abstract class PlanSession<B> implements Session, GenerateHost<B>, TrainHost<B> {
  abstract readonly engine: Session['engine'];
  abstract readonly threads: number;
  abstract memory(): { bytes: number; peak: number };
  protected abstract readonly pages: B;
  /** Gives everything back. */
  protected abstract end(): Promise<void>;

  readonly config: ModelConfig;
  readonly dtype: (name: string) => number;
  readonly plans = new Map<string, Plan>();
  private readonly adapters: AdapterStore<B>;
  private tail: Promise<unknown> = Promise.resolve();
  private serial = 0;
  private closed = false;
  private weights: number | undefined;
  private mostRows: number | undefined;

  /** `activationBytes`: what a training step's activations may take, and cached pages beside them. */
  protected constructor(
    readonly executor: Machine<B>,
    protected readonly store: WeightStore<B>,
    readonly pool: PagePool,
    readonly activationBytes: number,
  ) {
    this.config = store.layout.config;
    this.dtype = store.layout.dtype;
    this.adapters = new AdapterStore(executor, this.config);
  }

  readonly bind: Bind<B> = (name) => {
    if (name === 'rope') return this.store.rope;
    if (name === 'kv') return this.pages;
    return this.adapters.place(name) ?? this.store.place(name);
  };

  ensureRope = (positions: number): void => this.store.ensureRope(positions);

  passes = (rows: number): number => {
    this.weights ??= [...this.store.layout.stored.values()].reduce((n, { shape: [a, b] }) => n + a! * (b ?? 1), 0);
    return passesWithin(this.executor.burst, this.weights, rows);
  };

  get rows(): number {
    return (this.mostRows ??= rowsWithin(this));
  }

  makeRoom(bytes: number): void {
    if (this.pool.heldBytes + bytes > this.activationBytes) this.pool.clear();
  }

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
    const { executor } = this;
    const layout = loraLayout(this.config, adapter.config);
    const parameters = executor.take(layout.words);
    executor.write(parameters, packAdapter(adapter.data, adapter, layout));
    const unpack = (flat: Float32Array) => unpackAdapter(flat, adapter, layout);
    const subject: Subject<B> = {
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
      fromPublic: (values) => packAdapter(values, adapter, layout),
      adapter: (flat) => ({ config: adapter.config, layout: adapter.layout, data: unpack(flat) }),
      weights: () => {
        throw new CodedError('training/kind', 'Only a trainer of all weights has weights.');
      },
      changed: () => undefined,
      dispose: () => executor.give(parameters),
    };
    return new PlanTrainer(this, subject, optimizer);
  }

  trainingMemory(tokens: number, lora: LoraConfig): TrainingMemory {
    return trainingMemory(this, tokens, lora);
  }

  trainAll(optimizer: AdamW): Trainer {
    const { layout, flat: parameters } = this.store;
    const offsets = layout.offsets();
    if (!offsets) {
      throw new CodedError('training/dtype', 'All weights train only when all are stored as f32.', 'Train an adapter.');
    }
    if (parameters === null) {
      throw new CodedError('training/size', 'All weights train only when they fit one buffer.', 'Train an adapter.');
    }
    const subject: Subject<B> = {
      flat: { words: layout.bytes / 4, offsets },
      lora: null,
      parameters,
      named: (flat) => new Map(layout.values(flat)),
      toPublic: (flat) => layout.toPublic(flat),
      fromPublic: (values) => layout.fromPublic(values),
      adapter: () => {
        throw new CodedError('training/kind', 'Only a LoRA trainer has an adapter.');
      },
      weights: (flat) => layout.weights(flat),
      changed: () => this.pool.clear(), // keys and values of the old weights
      dispose: () => undefined,
    };
    return new PlanTrainer(this, subject, optimizer);
  }

  baseHash(): Promise<string> {
    return this.queue(() => this.store.hash());
  }

  async close(): Promise<void> {
    if (this.closed) return;
    await this.tail;
    this.closed = true;
    await this.end();
  }
}
