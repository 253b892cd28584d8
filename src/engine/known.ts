// What a GPU answers, beside what the processor answers, on a model small enough to try before any real one: drivers are
// wrong at times, and silently. Knows no kernel.
import { CodedError } from '../errors.ts';
import { CpuSession } from './cpu/session.ts';
import { freshAdapter } from './model/adapter.ts';
import { initWeights } from './model/init.ts';
import { LORA_TARGETS, type AdamW, type ModelConfig, type Session } from './types.ts';

/** Sizes that no tile divides (a head is a multiple of 8). Grouped heads, two layers, an untied head. */
const SHAPE: ModelConfig = {
  ...{ family: 'llama', vocab: 41, hidden: 48, layers: 2, heads: 6, kvHeads: 2, headDim: 8, ffn: 36, context: 64 },
  ...{ normEps: 1e-5, ropeTheta: 10_000, ropeScaling: null, qkvBias: false, qkNorm: false, tied: false },
  ...{ bos: null, eos: [] },
};
const ADAMW: AdamW = { lr: 1e-2, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 1 };
/** Largest difference of a logit, a log-probability, a loss or a gradient norm (the last one relative). */
const TOLERANCE = 1e-3;

const ids = (length: number, salt: number): number[] =>
  Array.from({ length }, (_, i) => (7 * i * i + 3 * i + 11 * salt) % SHAPE.vocab);

/**
 * `open` makes a session of the device from weights. Errors: gpu/wrong, which names what differed, and what the device
 * throws.
 */
export async function checkAnswers(open: (weights: ReturnType<typeof initWeights>) => Promise<Session>): Promise<void> {
  const weights = initWeights(SHAPE, 7, 0.3);
  const answers = [];
  for (const session of [await CpuSession.create(weights, { threads: 1 }), await open(weights)]) {
    try {
      answers.push(await answersOf(session));
    } finally {
      await session.close();
    }
  }
  const [right, found] = answers as [Answers, Answers];
  for (const [what, values] of Object.entries(right)) {
    const theirs = found[what as keyof Answers];
    const apart = Math.max(...values.map((value, i) => Math.abs(value - theirs[i]!) / Math.max(1, Math.abs(value))));
    // A NaN is no small difference.
    if (!(apart <= TOLERANCE)) {
      throw new CodedError(
        'gpu/wrong',
        `this GPU computes ${what} wrongly (off by ${apart.toPrecision(2)})`,
        'use the CPU engine; a newer browser or driver may help',
      );
    }
  }
}

type Answers = Awaited<ReturnType<typeof answersOf>>;

async function answersOf(session: Session) {
  const sequences = [ids(33, 1), ids(9, 2)];
  const scores = await session.score(sequences);
  const [one] = await session.score([ids(1, 3)], { last: true }); // few rows have kernels of their own
  const trainer = session.trainAdapter(
    freshAdapter(SHAPE, { rank: 3, alpha: 6, targets: [...LORA_TARGETS] }, 5),
    ADAMW,
  );
  const weights = sequences.map((one) => one.map((_, t) => (t % 3 === 0 ? 0 : 1)));
  const steps = [];
  // lora_B is zero before the first step: only the second one's gradient reaches every tensor.
  for (let step = 0; step < 3; step++) steps.push(await trainer.step({ sequences, weights }));
  trainer.dispose();
  return {
    'logits of one row': [...one!.last!],
    'log-probabilities': scores.flatMap(({ logprobs }) => [...logprobs]),
    losses: steps.map(({ loss }) => loss),
    'gradient norms': steps.map(({ gradNorm }) => gradNorm),
  };
}
