// Training on a session: gradients of the weighted log-likelihood into one flat buffer, clipping, AdamW. Trains a LoRA
// adapter, or all base weights. Knows nothing of where sequences and weights come from.
import { CodedError } from '../../errors.ts';
import type { LoraUse } from '../plan/layer.ts';
import type { Plan } from '../plan/builder.ts';
import { adamwPlan, type Flat, normPlan, trainPlan } from '../plan/train.ts';
import type { AdamW, Adapter, ModelConfig, ModelWeights, OptimizerState, StepResult, TrainBatch } from '../types.ts';
import type { Trainer } from '../types.ts';
import type { Bind, Executor } from './executor.ts';
import { fillRagged, ragged, raggedCounts } from './ragged.ts';

/** What is being trained: where it lies and how it is read out. */
export interface Subject {
  flat: Flat;
  lora: LoraUse | null;
  /** Address of the flat parameters. */
  parameters: number;
  /** A flat buffer as named, row-major tensors. */
  named(flat: Float32Array): Map<string, { shape: number[]; data: Float32Array }>;
  /** Public order of moments <-> the flat buffer's. */
  toPublic(flat: Float32Array): Float32Array;
  fromPublic(values: Float32Array, flat: Float32Array): void;
  adapter(): Adapter;
  weights(): ModelWeights;
  /** The parameters have changed. */
  changed(): void;
  dispose(): void;
}

export interface TrainHost {
  config: ModelConfig;
  executor: Executor;
  dtype: (name: string) => number;
  bind: Bind;
  ensureRope(positions: number): void;
  /** Runs one piece of work after what was asked before. */
  queue<T>(work: () => T | Promise<T>): Promise<T>;
  /** Bytes that activations may take; a step recomputes as many layers' as it must to stay within them. */
  activationBytes: number;
}

interface Prepared {
  sequences: ArrayLike<number>[];
  /** Rows (of the whole batch) whose next token carries weight, that token, its weight / normalizer. */
  rows: number[];
  targets: number[];
  coefficients: number[];
}

export class CpuTrainer implements Trainer {
  private readonly grad: number;
  private readonly m: number;
  private readonly v: number;
  private steps = 0;
  private fresh = true;
  private disposed = false;

  constructor(
    private readonly host: TrainHost,
    private readonly subject: Subject,
    private readonly settings: AdamW,
  ) {
    const { arena } = host.executor;
    const bytes = subject.flat.words * 4;
    [this.grad, this.m, this.v] = [arena.take(bytes), arena.take(bytes), arena.take(bytes)];
    for (const address of [this.grad, this.m, this.v]) arena.floats(address, subject.flat.words).fill(0);
  }

  accumulate(batch: TrainBatch): Promise<number> {
    return this.host.queue(() => this.backward(batch).loss);
  }

  step(batch: TrainBatch, lr = this.settings.lr): Promise<StepResult> {
    return this.host.queue(() => {
      const { loss, tokens } = this.backward(batch);
      const gradNorm = this.norm();
      if (!Number.isFinite(gradNorm)) throw diverged('gradient');
      const { clip } = this.settings;
      const scale = clip > 0 && gradNorm > clip ? clip / (gradNorm + 1e-6) : 1;
      const numbers = { ...this.settings, lr, step: ++this.steps, clip: scale };
      this.host.executor.run(adamwPlan(this.subject.flat.words, numbers), this.bind);
      this.fresh = true; // the next gradient starts anew; this one stays readable until then
      this.subject.changed();
      return { loss, gradNorm, tokens };
    });
  }

  private backward(batch: TrainBatch): { loss: number; tokens: number } {
    if (this.disposed) throw new CodedError('training/disposed', 'This trainer has been disposed of.');
    const { config, dtype, executor } = this.host;
    const prepared = prepareBatch(config, batch);
    const packed = ragged(config, prepared.sequences);
    this.host.ensureRope(Math.max(...prepared.sequences.map((s) => s.length)));
    const counts = {
      ...raggedCounts(packed, [{ row: 0, rows: packed.ids.length, lora: this.subject.lora }]),
      ...{ pages: packed.pages, sequences: prepared.sequences.length, weighted: prepared.rows.length },
      fresh: this.fresh,
    };
    const plan = fewestRecomputed(config.layers, this.host.activationBytes, (recompute) =>
      trainPlan(config, dtype, { ...counts, recompute }, this.subject.flat, this.subject.lora),
    );
    executor.prepare(plan);
    fillRagged(executor, plan, packed);
    executor.ints(plan, 'weightedRows').set(prepared.rows);
    executor.ints(plan, 'targets').set(prepared.targets);
    executor.floats(plan, 'coefficients').set(prepared.coefficients);
    executor.run(plan, this.bind);
    this.fresh = false;
    const logps = executor.floats(plan, 'logps');
    let loss = 0;
    prepared.coefficients.forEach((c, i) => (loss -= c * logps[i]!));
    if (!Number.isFinite(loss)) {
      this.fresh = true;
      throw diverged('loss');
    }
    return { loss, tokens: packed.ids.length };
  }

  private norm(): number {
    const { executor } = this.host;
    const plan = normPlan(this.subject.flat.words);
    executor.run(plan, this.bind);
    const floats = executor.floats(plan, 'partials').slice();
    let sum = 0;
    for (const part of new Float64Array(floats.buffer, 0, Math.ceil(this.subject.flat.words / 4096))) sum += part;
    return Math.sqrt(sum);
  }

  private readonly bind: Bind = (name) => {
    if (name === 'grad') return this.grad;
    if (name === 'm') return this.m;
    if (name === 'v') return this.v;
    if (name === 'parameters' || name === this.subject.lora?.buffer) return this.subject.parameters;
    return this.host.bind(name);
  };

  private flat = (address: number): Float32Array => this.host.executor.arena.floats(address, this.subject.flat.words);

  gradients(): Map<string, { shape: number[]; data: Float32Array }> {
    return this.subject.named(this.flat(this.grad));
  }

  adapter(): Adapter {
    return this.subject.adapter();
  }

  weights(): ModelWeights {
    return this.subject.weights();
  }

  optimizer(): OptimizerState {
    const { toPublic } = this.subject;
    return { step: this.steps, m: toPublic(this.flat(this.m)), v: toPublic(this.flat(this.v)) };
  }

  restore(state: OptimizerState): void {
    this.steps = state.step;
    this.subject.fromPublic(state.m, this.flat(this.m));
    this.subject.fromPublic(state.v, this.flat(this.v));
    this.fresh = true;
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    for (const address of [this.grad, this.m, this.v]) this.host.executor.arena.give(address);
    this.subject.dispose();
    this.host.executor.release();
  }
}

/** The plan that recomputes the fewest layers within `bytes`; all of them where even that does not suffice. */
function fewestRecomputed(layers: number, bytes: number, plan: (recompute: number) => Plan): Plan {
  const fits = (candidate: Plan) => candidate.words * 4 <= bytes;
  const none = plan(0);
  if (fits(none)) return none;
  let [low, high] = [1, layers];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(plan(middle))) high = middle;
    else low = middle + 1;
  }
  return plan(high);
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
