// Training on a session: gradients of the weighted log-likelihood into one flat buffer, clipping, AdamW. Trains a LoRA
// adapter, or all base weights. Knows nothing of where sequences and weights come from.
import { CodedError } from '../../errors.ts';
import type { LoraUse } from '../plan/layer.ts';
import type { Plan } from '../plan/builder.ts';
import { type AdamWNumbers, type Flat, trainPlan } from '../plan/train.ts';
import type { AdamW, Adapter, ModelConfig, ModelWeights, OptimizerState, StepResult, TrainBatch } from '../types.ts';
import type { LoraConfig, Trainer, TrainingMemory } from '../types.ts';
import { loraLayout } from '../plan/shape.ts';
import { loraUse } from './adapters.ts';
import type { Bind, Machine } from './machine.ts';
import { fillRagged, ragged, raggedCounts } from './ragged.ts';

/** What is being trained: where it lies and how it is read out. */
export interface Subject<B> {
  flat: Flat;
  lora: LoraUse | null;
  /** The flat parameters. */
  parameters: B;
  /** A flat buffer as named, row-major tensors. */
  named(flat: Float32Array): Map<string, { shape: number[]; data: Float32Array }>;
  /** Public order of moments <-> the flat buffer's. */
  toPublic(flat: Float32Array): Float32Array;
  fromPublic(values: Float32Array): Float32Array;
  /** The trained values, from the flat parameters. Errors: training/kind. */
  adapter(flat: Float32Array): Adapter;
  weights(flat: Float32Array): ModelWeights;
  /** The parameters have changed. */
  changed(): void;
  dispose(): void;
}

export interface TrainHost<B> {
  config: ModelConfig;
  executor: Machine<B>;
  dtype: (name: string) => number;
  bind: Bind<B>;
  ensureRope(positions: number): void;
  /** Runs one piece of work after what was asked before. */
  queue<T>(work: () => T | Promise<T>): Promise<T>;
  /** Bytes that activations may take; a step recomputes as many layers' as it must to stay within them. */
  activationBytes: number;
  /** Drops the cache of finished sequences where it stands in the way of so many bytes of activations. */
  makeRoom(bytes: number): void;
}

interface Prepared {
  sequences: ArrayLike<number>[];
  /** Rows (of the whole batch) whose next token carries weight, that token, its weight / normalizer. */
  rows: number[];
  targets: number[];
  coefficients: number[];
}

export class PlanTrainer<B> implements Trainer {
  private readonly grad: B;
  private readonly m: B;
  private readonly v: B;
  private steps = 0;
  private fresh = true;
  private disposed = false;

  constructor(
    private readonly host: TrainHost<B>,
    private readonly subject: Subject<B>,
    private readonly settings: AdamW,
  ) {
    const { executor } = host;
    const { words } = subject.flat;
    [this.grad, this.m, this.v] = [executor.take(words), executor.take(words), executor.take(words)];
  }

  accumulate(batch: TrainBatch): Promise<number> {
    return this.host.queue(async () => (await this.run(batch, null)).loss);
  }

  step(batch: TrainBatch, lr = this.settings.lr): Promise<StepResult> {
    return this.host.queue(async () => {
      const result = await this.run(batch, { ...this.settings, lr, step: this.steps + 1 });
      if (!Number.isFinite(result.gradNorm)) throw diverged('gradient'); // nothing has been changed: see op clip
      this.steps++;
      this.subject.changed();
      return result;
    });
  }

  /** One plan: forward, loss, backward and, with `update`, AdamW. */
  private async run(batch: TrainBatch, update: AdamWNumbers | null): Promise<StepResult> {
    this.check();
    const { config, dtype, executor } = this.host;
    const { flat, lora } = this.subject;
    const prepared = prepareBatch(config, batch);
    const packed = ragged(config, prepared.sequences);
    this.host.ensureRope(Math.max(...prepared.sequences.map((s) => s.length)));
    const counts = {
      ...raggedCounts(packed, [{ row: 0, rows: packed.ids.length, lora }]),
      ...{ pages: packed.pages, sequences: prepared.sequences.length, weighted: prepared.rows.length },
      fresh: this.fresh,
    };
    const { plan } = leastRecomputed(config.layers, this.host.activationBytes, (recompute) =>
      trainPlan(config, dtype, { ...counts, recompute }, flat, lora, update),
    );
    this.host.makeRoom(plan.words * 4);
    executor.prepare(plan);
    fillRagged(executor, plan, packed);
    executor.ints(plan, 'weightedRows').set(prepared.rows);
    executor.ints(plan, 'targets').set(prepared.targets);
    executor.floats(plan, 'coefficients').set(prepared.coefficients);
    this.fresh = true; // after a step the next gradient starts anew; this one stays readable until then
    await executor.run(plan, this.bind);
    const logps = executor.floats(plan, 'logps');
    let loss = 0;
    prepared.coefficients.forEach((c, i) => (loss -= c * logps[i]!));
    if (!Number.isFinite(loss)) throw diverged('loss');
    this.fresh = update !== null;
    const gradNorm = update ? norm(executor.floats(plan, 'partials'), flat.words) : 0;
    return { loss, gradNorm, tokens: packed.ids.length };
  }

  private readonly bind: Bind<B> = (name) => {
    if (name === 'grad') return this.grad;
    if (name === 'm') return this.m;
    if (name === 'v') return this.v;
    if (name === 'parameters' || name === this.subject.lora?.buffer) return this.subject.parameters;
    return this.host.bind(name);
  };

  private check(): void {
    if (this.disposed) throw new CodedError('training/disposed', 'This trainer has been disposed of.');
  }

  private flat(place: B): Promise<Float32Array> {
    return this.host.queue(() => {
      this.check();
      return this.host.executor.read(place, this.subject.flat.words);
    });
  }

  async gradients(): Promise<Map<string, { shape: number[]; data: Float32Array }>> {
    return this.subject.named(await this.flat(this.grad));
  }

  async adapter(): Promise<Adapter> {
    return this.subject.adapter(await this.flat(this.subject.parameters));
  }

  async weights(): Promise<ModelWeights> {
    return this.subject.weights(await this.flat(this.subject.parameters));
  }

  async optimizer(): Promise<OptimizerState> {
    const { toPublic } = this.subject;
    const step = this.steps;
    const [m, v] = await Promise.all([this.flat(this.m), this.flat(this.v)]);
    return { step, m: toPublic(m), v: toPublic(v) };
  }

  restore(state: OptimizerState): void {
    this.steps = state.step;
    this.host.executor.write(this.m, this.subject.fromPublic(state.m));
    this.host.executor.write(this.v, this.subject.fromPublic(state.v));
    this.fresh = true;
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    for (const place of [this.grad, this.m, this.v]) this.host.executor.give(place);
    this.subject.dispose();
    this.host.executor.release();
  }
}

/** Of the f64 partial sums of squares, one per 4096 words. */
function norm(partials: Float32Array, words: number): number {
  let sum = 0;
  for (const part of new Float64Array(partials.slice().buffer, 0, Math.ceil(words / 4096))) sum += part;
  return Math.sqrt(sum);
}

/** The plan that recomputes the least within `bytes`; everything where even that does not suffice. */
function leastRecomputed(
  layers: number,
  bytes: number,
  make: (recompute: number) => Plan,
): { plan: Plan; recompute: number } {
  const fits = (candidate: Plan) => candidate.words * 4 <= bytes;
  let best = { plan: make(0), recompute: 0 };
  if (fits(best.plan)) return best;
  let [low, high] = [1, 2 * layers];
  best = { plan: make(high), recompute: high };
  while (low < high) {
    const middle = (low + high) >> 1;
    const plan = make(middle);
    if (fits(plan)) [high, best] = [middle, { plan, recompute: middle }];
    else low = middle + 1;
  }
  return best;
}

/** See `Session.trainingMemory`. */
export function trainingMemory<B>(
  { config, dtype, activationBytes }: Pick<TrainHost<B>, 'config' | 'dtype' | 'activationBytes'>,
  tokens: number,
  settings: LoraConfig,
): TrainingMemory {
  const layout = loraLayout(config, settings);
  const lora = loraUse('adapter', layout, settings);
  const packed = ragged(config, [new Int32Array(tokens)]);
  const counts = {
    ...raggedCounts(packed, [{ row: 0, rows: tokens, lora }]),
    ...{ pages: packed.pages, sequences: 1, weighted: Math.ceil(tokens / 4), fresh: true },
  };
  const flat = { words: layout.words, offsets: new Map<string, number>() };
  const { layers } = config;
  const { plan, recompute } = leastRecomputed(layers, activationBytes, (recompute) =>
    trainPlan(config, dtype, { ...counts, recompute }, flat, lora, null),
  );
  const refreshed = Math.min(recompute, layers);
  return { bytes: 4 * (plan.words + 4 * layout.words), layers, refreshed, recomputed: recompute - refreshed };
}

const diverged = (what: string): CodedError =>
  new CodedError(
    'training/nan',
    `Training stopped: the ${what} is not a number.`,
    'Go back to the last good adapter and lower the learning rate.',
  );

/** Weighted rows; tokens after the last weighted one of each sequence are left out, nothing depends on them. */
function prepareBatch(config: ModelConfig, batch: TrainBatch): Prepared {
  const out: Prepared = { sequences: [], rows: [], targets: [], coefficients: [] };
  let [row, sum, negative] = [0, 0, false];
  batch.sequences.forEach((ids, s) => {
    const weights = batch.weights[s];
    if (weights?.length !== ids.length) {
      throw new CodedError(
        'training/weights',
        `Sequence ${s} has ${ids.length} tokens and ${weights?.length} weights.`,
      );
    }
    let end = 0;
    for (let t = 1; t < ids.length; t++) {
      const weight = weights[t]!;
      if (weight === 0) continue;
      if (!Number.isFinite(weight)) throw new CodedError('training/weights', `Sequence ${s} has the weight ${weight}.`);
      out.rows.push(row + t - 1);
      out.targets.push(ids[t]!);
      out.coefficients.push(weight);
      sum += weight;
      negative ||= weight < 0;
      end = t;
    }
    if (end === 0) return;
    for (let t = 0; t <= end; t++) {
      const id = ids[t]!;
      if (!Number.isInteger(id) || id < 0 || id >= config.vocab) {
        throw new CodedError('model/token', `Sequence ${s} holds ${id}, which is no token of this model.`);
      }
    }
    if (end > config.context) {
      throw new CodedError('model/context', `Sequence ${s} is longer than the model's context of ${config.context}.`);
    }
    out.sequences.push(Array.prototype.slice.call(ids, 0, end));
    row += end;
  });
  if (out.rows.length === 0) {
    throw new CodedError('training/no-weight', 'No token of the batch carries weight.', 'Leave such batches out.');
  }
  if (negative && batch.normalizer === undefined) {
    throw new CodedError('training/no-normalizer', 'Weights that may cancel need a normalizer.');
  }
  const normalizer = batch.normalizer ?? sum;
  if (!(normalizer > 0)) throw new CodedError('training/no-normalizer', `The normalizer is ${normalizer}.`);
  out.coefficients = out.coefficients.map((weight) => weight / normalizer);
  return out;
}
