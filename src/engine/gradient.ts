// Whether a gradient is right: one tensor of a LoRA adapter, a part at a time, against central differences of the loss. The
// loss comes from forward passes alone (`score`), so backward kernels are held against what they do not share. Works on
// any executor. Knows no kernel.
import { CodedError } from '../errors.ts';
import { adapterTensor } from './model/adapter.ts';
import type { Adapter, AdapterSlot, Session, TrainBatch } from './types.ts';

/** One contiguous part of the tensor, moved along the signs of its gradient. */
export interface GradientPart {
  /** Elements [begin, end) of the tensor, row-major. */
  begin: number;
  end: number;
  /** What the engine's gradient says that the loss changes by, per unit of that direction: sum of |g|. */
  engine: number;
  /** What it changed by, extrapolated from two step widths (Richardson). */
  measured: number;
  /** How far the two widths are apart, and what f32 rounding of the losses may add. */
  unsure: number;
}

export interface GradientCheck {
  tensor: string;
  shape: [number, number];
  /** Tokens that went through the model, and the loss there. */
  tokens: number;
  loss: number;
  parts: GradientPart[];
  /** Largest difference of a part beyond what the measurement is unsure of, as a share of the part's own size. */
  apart: number;
  /** `unclear`: the measurement is too coarse to tell. */
  verdict: 'agrees' | 'differs' | 'unclear';
}

const PARTS = 8;
/** Of a part's size: what the two may differ by. */
export const TOLERANCE = 0.01;
/** A step changes the loss by about this much, so that f32 shows four digits of it, … */
const CHANGE = 2e-3;
/** … but moves no element further than this. */
const FURTHEST = 0.01;
/** Rounding of a mean log-probability in f32, as seen on both executors. */
const ROUNDING = 2 ** -22;
/** Parts as unsure as this share of the whole tell nothing. */
const COARSE = 0.1;

/**
 * Checks the gradient of `tensor` (PEFT's name) at `adapter` on a batch. 4 * 8 + 2 passes; `progress` hears of each.
 * Errors: training/no-tensor, and those of `score` and `accumulate`.
 */
export async function checkGradient(
  session: Pick<Session, 'score' | 'trainAdapter'>,
  adapter: Adapter,
  batch: TrainBatch,
  tensor: string,
  progress?: (done: number, total: number) => void,
): Promise<GradientCheck> {
  const slot = adapter.layout.find(({ name }) => name === tensor);
  if (!slot) throw new CodedError('training/no-tensor', `the adapter has no ${tensor}`, 'choose one of its tensors');
  const [total, told] = [4 * PARTS + 2, { done: 0 }];
  const tell = () => progress?.(++told.done, total);
  const gradient = await gradientOf(session, adapter, batch, tensor);
  tell();
  const lossAt = async (at: Adapter) => {
    const loss = await lossOf(session, at, batch);
    tell();
    return loss;
  };
  const loss = await lossAt(adapter);
  const parts: GradientPart[] = [];
  for (let part = 0; part < PARTS; part++) {
    const begin = Math.floor((part * gradient.length) / PARTS);
    const end = Math.floor(((part + 1) * gradient.length) / PARTS);
    if (end > begin) parts.push(await measure(adapter, slot, gradient, begin, end, loss, lossAt));
  }
  const sequences = batch.sequences.reduce((sum, ids) => sum + ids.length, 0);
  return { tensor, shape: slot.shape, tokens: sequences, loss, parts, ...judged(parts) };
}

async function gradientOf(
  session: Pick<Session, 'trainAdapter'>,
  adapter: Adapter,
  batch: TrainBatch,
  tensor: string,
): Promise<Float32Array> {
  const settings = { lr: 0, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 };
  const trainer = session.trainAdapter({ ...adapter, data: adapter.data.slice() }, settings);
  try {
    await trainer.accumulate(batch);
    return (await trainer.gradients()).get(tensor)!.data;
  } finally {
    trainer.dispose();
  }
}

/** -(sum w log p) / normalizer, summed in f64. */
async function lossOf(session: Pick<Session, 'score'>, adapter: Adapter, batch: TrainBatch): Promise<number> {
  const scores = await session.score(batch.sequences, { adapter });
  let [sum, all] = [0, 0];
  scores.forEach(({ logprobs }, s) => {
    for (let t = 1; t < batch.sequences[s]!.length; t++) {
      const weight = batch.weights[s]![t]!;
      if (weight === 0) continue;
      sum -= weight * logprobs[t - 1]!;
      all += weight;
    }
  });
  return sum / (batch.normalizer ?? all);
}

async function measure(
  adapter: Adapter,
  slot: AdapterSlot,
  gradient: Float32Array,
  begin: number,
  end: number,
  loss: number,
  lossAt: (adapter: Adapter) => Promise<number>,
): Promise<GradientPart> {
  // Where the gradient is zero any sign does; if it should not be zero, the loss will tell.
  const signs = Float32Array.from(
    { length: end - begin },
    (_, i) => Math.sign(gradient[begin + i]!) || 1 - 2 * (i % 2),
  );
  let engine = 0;
  for (let i = begin; i < end; i++) engine += Math.abs(gradient[i]!);
  const slope = async (width: number) => {
    const [up, down] = [await lossAt(moved(width)), await lossAt(moved(-width))];
    return (up - down) / (2 * width);
  };
  const moved = (by: number): Adapter => {
    const copy = { ...adapter, data: adapter.data.slice() };
    const values = adapterTensor(copy, slot);
    for (let i = begin; i < end; i++) values[i] = values[i]! + by * signs[i - begin]!;
    return copy;
  };
  const fine = CHANGE / engine;
  const width = fine < FURTHEST ? fine : FURTHEST; // also where the gradient is no number
  const [wide, narrow] = [await slope(width), await slope(width / 2)];
  const rounding = (ROUNDING * Math.max(1, Math.abs(loss))) / width;
  return { begin, end, engine, measured: (4 * narrow - wide) / 3, unsure: Math.abs(wide - narrow) + rounding };
}

/** A part's difference counts beyond what is unsure of it, against the part's own size. */
function judged(parts: readonly GradientPart[]): Pick<GradientCheck, 'apart' | 'verdict'> {
  const sizeOf = ({ engine, measured }: GradientPart) => Math.max(engine, Math.abs(measured));
  const whole = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const shares = parts.map((part) => {
    const difference = Math.abs(part.engine - part.measured);
    // Not a number is no agreement.
    if (!Number.isFinite(difference)) return Number.POSITIVE_INFINITY;
    return Math.max(0, difference - part.unsure) / Math.max(sizeOf(part), Number.MIN_VALUE);
  });
  const apart = Math.max(...shares);
  const unsure = parts.reduce((sum, part) => sum + part.unsure, 0);
  if (apart > TOLERANCE) return { apart, verdict: 'differs' };
  return { apart, verdict: unsure > COARSE * whole ? 'unclear' : 'agrees' };
}
