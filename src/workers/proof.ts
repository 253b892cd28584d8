// Proof of training: a logged adapter, the base weights in memory and the gradient there, looked at on the living model.
// Knows no lab and no engine.
import { CodedError } from '../errors.ts';
import type { AdapterSaved, RunEvent, RunOpened } from '../log/events.ts';
import { decodeTokens } from '../log/prompts.ts';
import type { GradientCheck, LanguageModel, TrainingExample } from '../models/types.ts';

export interface TrainingProof {
  /** Who computed, as the model's card says it. */
  engine: string;
  /** Hash of the adapter as the model holds it now. */
  adapter: string;
  /** Fingerprint of the base weights in memory now. */
  baseHash: string;
  check: GradientCheck;
}

/**
 * Errors: log/no-adapter, log/missing-blob, log/nothing-explored; model/changed where the model is not the run's;
 * training/unsupported, training/no-tensor.
 */
export async function proveTraining(
  model: LanguageModel,
  { events, blob }: { events: readonly RunEvent[]; blob: (hash: string) => Promise<Uint8Array | null> },
  hash: string,
  tensor: string,
  progress: (done: number, total: number) => void,
): Promise<TrainingProof> {
  const opened = events[0] as RunOpened;
  const saved = events.findLast((event) => event.type === 'adapter.saved' && event.hash === hash);
  if (saved?.type !== 'adapter.saved') {
    throw new CodedError('log/no-adapter', `the run has no adapter ${hash.slice(0, 12)}`, 'choose one of its own');
  }
  const { training } = model;
  if (!training?.checkGradient) {
    throw new CodedError('training/unsupported', `${model.card.title} cannot be trained here`, 'choose another model');
  }
  if (model.card.hash !== opened.hashes.model) {
    throw new CodedError(
      'model/changed',
      `${model.card.title} is another model than the run’s`,
      'the check needs the weights that the run had',
    );
  }
  const tensors = await blob(hash);
  if (!tensors) {
    throw new CodedError(
      'log/missing-blob',
      `adapter ${hash.slice(0, 12)} is not stored here`,
      'import the run with it',
    );
  }
  const loaded = await training.load({ config: saved.config, tensors });
  const check = await training.checkGradient(loaded.hash, exampleOf(events, saved), tensor, progress);
  return { engine: model.card.engine, adapter: loaded.hash, baseHash: await training.baseHash(), check };
}

/** An answer that the arm had explored before the update, the shortest with its prompt; the weight is on the answer. */
export function exampleOf(events: readonly RunEvent[], saved: AdapterSaved): TrainingExample {
  let best: TrainingExample | null = null;
  for (const event of events) {
    if (event.type !== 'episode' || event.phase !== 'explore' || event.n > saved.n) continue;
    if (event.pathway !== saved.pathway || event.game !== saved.game || event.runSeed !== saved.runSeed) continue;
    let before: number[] = [];
    for (const { promptTokens, completionTokens } of event.steps) {
      const prompt = decodeTokens(promptTokens, before);
      before = [...prompt, ...completionTokens];
      if (completionTokens.length === 0 || (best && before.length >= best.ids.length)) continue;
      best = { ids: before, weights: [...prompt.map(() => 0), ...completionTokens.map(() => 1)] };
    }
  }
  if (!best) throw new CodedError('log/nothing-explored', 'the arm had explored nothing yet', 'let it play first');
  return best;
}
