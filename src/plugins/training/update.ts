// One LoRA update at a checkpoint: the adapter goes on from where it was, so does its optimiser; a guard watches for
// collapse. NaN ends the run as invalid (the engine throws), never as a score.
import { stream } from '../../../games/rng.ts';
import { hashBytes } from '../../hash.ts';
import { CodedError } from '../../errors.ts';
import type { AdapterSaved } from '../../log/events.ts';
import type { ExperienceStep, ExperienceView } from '../../gym/experience.ts';
import type { Live } from '../../gym/live.ts';
import type { ArmContext, Made } from '../../gym/plugin.ts';
import { LORA_TARGETS } from '../../engine/types.ts';
import type { TrainingExample } from '../../models/types.ts';
import { isPrefix } from './examples.ts';

export interface TrainingState {
  adapter: string | null;
  /** Hash of the optimiser's blob. */
  optimizer: string | null;
  /** Refused updates in a row. */
  refused: number;
  /** Why training stopped for good, or null. */
  stopped: string | null;
}

/** Refused updates in a row that stop training: what is learnt from goes on leading astray. */
export const REFUSALS = 3;

/**
 * Collapse guard on what was explored: where invalid answers have become more frequent than before any update, by more
 * than the bound, training stops. A model that answers badly from the start is not collapsing. No reward is read.
 */
export function guardBefore(
  first: readonly ExperienceView[],
  latest: readonly ExperienceView[],
  { settings }: ArmContext,
): string | null {
  const [from, to] = [invalidShare(first), invalidShare(latest)];
  const bound = settings.guardInvalid as number;
  if (to - from <= bound) return null;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return `invalid answers ${percent(to)}, ${percent(from)} before training: a rise of more than ${percent(bound)}`;
}

function invalidShare(views: readonly ExperienceView[]): number {
  const steps = views.flatMap((view) => view.steps);
  return steps.filter((step) => !step.valid).length / Math.max(1, steps.length);
}

export async function update(
  state: TrainingState,
  examples: readonly TrainingExample[],
  latest: readonly ExperienceView[],
  stop: string | null,
  x: number,
  context: ArmContext,
  live: (message: Live) => void,
): Promise<Made<AdapterSaved>> {
  const { settings, training } = context;
  if (!training) throw new CodedError('model/cannot-train', 'the model cannot be trained here', 'choose another model');
  const lora = { rank: settings.rank as number, alpha: settings.alpha as number, targets: [...LORA_TARGETS] };
  const before = state.adapter ?? (await training.fresh(lora, context.seed('adapter'))).hash;
  const startedMs = performance.now();
  const loss: number[] = [];
  const gradNorm: number[] = [];
  let tokens = 0;
  let adapter = before;
  let optimizer = state.optimizer ? await context.blob(state.optimizer) : null;
  let guard = stop;
  let kl: number | null = null;
  let refused = 0;
  if (guard === null && examples.length > 0) {
    const lr = settings.lr as number;
    await training.start(before, { lr, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 1 }, optimizer);
    const steps = settings.trainSteps as number;
    for (let step = 0; step < steps; step++) {
      const batch = draw(examples, settings.trainBatch as number, context.seed('batch', x, step));
      const result = await training.step(batch, undefined, lr);
      loss.push(result.loss);
      gradNorm.push(result.gradNorm);
      tokens += result.tokens;
      live({ kind: 'train', pathway: context.name, game: context.game, step: step + 1, steps, loss: result.loss });
    }
    const finished = await training.finish();
    kl = await divergence(latest, state.adapter, finished.adapter.hash, context);
    const bound = settings.guardKl as number;
    if (kl > bound) {
      refused = state.refused + 1;
      const last = refused >= REFUSALS ? `, ${REFUSALS} in a row: training stops` : '';
      guard = `KL ${kl.toFixed(3)} nats a token, above ${bound}: update refused${last}`;
    } else {
      adapter = finished.adapter.hash;
      optimizer = finished.optimizer;
    }
  }
  const files = await training.files(adapter);
  const { norms } = await training.load(files);
  const optimizerHash = optimizer ? hashBytes(optimizer) : null;
  return {
    draft: {
      type: 'adapter.saved',
      runSeed: context.runSeed,
      game: context.game,
      pathway: context.name,
      x,
      hash: adapter,
      config: files.config,
      before,
      optimizer: optimizerHash,
      norms,
      loss,
      gradNorm,
      steps: loss.length,
      tokens,
      kl,
      baseHash: await training.baseHash(),
      guard,
      ...(refused > 0 ? { refused } : {}),
      trainMs: performance.now() - startedMs,
    },
    blobs: { [adapter]: files.tensors, ...(optimizer ? { [optimizerHash!]: optimizer } : {}) },
  };
}

/** A batch without replacement from a fresh shuffle; fewer examples than the batch are all taken. */
const draw = (examples: readonly TrainingExample[], size: number, seed: number): TrainingExample[] =>
  stream(seed).shuffle(examples).slice(0, size);

/** KL(old || new), estimated on the answers since the last update, which the old adapter sampled; nats a token. */
async function divergence(
  latest: readonly ExperienceView[],
  old: string | null,
  fresh: string,
  { training, parameters }: ArmContext,
): Promise<number> {
  const { sequences, answers } = answersIn(latest, KL_WORK / parameters);
  const [a, b] = [await training!.score(sequences, old), await training!.score(sequences, fresh)];
  let sum = 0;
  let count = 0;
  for (const { sequence, from, to } of answers) {
    for (let t = from; t < to; t++) {
      sum += a[sequence]![t]! - b[sequence]![t]!;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** Parameters x tokens that one reading may cost: some seconds. */
const KL_WORK = 2.5e11;
const KL_ANSWERS = 64;

interface Answers {
  sequences: number[][];
  /** Where each answer's log-probabilities stand: [from, to) of its sequence's. */
  answers: { sequence: number; from: number; to: number }[];
}

/** 64 answers, evenly spread; where reading them costs more than `most` tokens, all answers of as many episodes as do not. */
export function answersIn(latest: readonly ExperienceView[], most: number): Answers {
  const thin = <T>(all: readonly T[], count: number): T[] =>
    all.filter((_, i) => i % Math.ceil(all.length / Math.max(1, count)) === 0);
  const spread = collect(
    thin(
      latest.flatMap((view) => view.steps),
      KL_ANSWERS,
    ).map((step) => [step]),
  );
  if (tokensOf(spread) <= most) return spread;
  for (let episodes = latest.length; ; episodes >>= 1) {
    const whole = collect(thin(latest, episodes).map((view) => view.steps));
    if (tokensOf(whole) <= most || episodes <= 1) return whole;
  }
}

const tokensOf = ({ sequences }: Answers) => sequences.reduce((sum, ids) => sum + ids.length, 0);

/** Steps whose prompts only grow share a sequence. */
function collect(groups: readonly (readonly ExperienceStep[])[]): Answers {
  const out: Answers = { sequences: [], answers: [] };
  for (const steps of groups) {
    let last: ExperienceStep | null = null;
    for (const step of steps) {
      const ids = [...step.promptIds!, ...step.completionIds!];
      if (last && isPrefix(last, step)) {
        // An answer's end (a newline) does not stand in the next prompt.
        const before = out.sequences.pop()!;
        const common = before.findIndex((id, i) => ids[i] !== id);
        const answer = out.answers.at(-1)!;
        if (common >= 0) answer.to = Math.min(answer.to, Math.max(answer.from, common - 1));
      }
      out.sequences.push(ids);
      last = step;
      out.answers.push({
        sequence: out.sequences.length - 1,
        from: step.promptIds!.length - 1,
        to: ids.length - 1,
      });
    }
  }
  return out;
}
