// Which steps become training examples, by the scores that the arm goes by. The rule is a visible setting.
import { stream } from '../../../games/rng.ts';
import type { ExperienceView } from '../../gym/experience.ts';
import type { ArmContext } from '../../gym/plugin.ts';
import type { StepRef } from '../../log/events.ts';

interface Candidate extends StepRef {
  score: number;
}

/**
 * Candidates are steps with a valid answer and a score; `low` are the candidates that were not kept.
 * positive: s > 0. upper: the upper part of the block by s. episodes: the upper part of the episodes by their sum of s.
 */
export function chooseSteps(
  window: readonly ExperienceView[],
  context: Pick<ArmContext, 'settings' | 'seed'>,
  atRandom: boolean,
): { kept: StepRef[]; low: StepRef[] } {
  const candidates = window.flatMap((view) =>
    view.steps
      .filter((step) => step.valid && step.score !== null && step.score !== undefined)
      .map((step): Candidate => ({ episode: view.index, step: step.step, score: step.score! })),
  );
  const chosen = new Set(pick(candidates, context));
  let kept = candidates.filter((one) => chosen.has(one));
  if (atRandom) {
    const last = window.at(-1)?.index ?? 0;
    const drawn = new Set(stream(context.seed('random-steps', last)).shuffle(candidates).slice(0, kept.length));
    kept = candidates.filter((one) => drawn.has(one));
  }
  const keptSet = new Set(kept);
  const bare = ({ episode, step }: Candidate): StepRef => ({ episode, step });
  return { kept: kept.map(bare), low: candidates.filter((one) => !keptSet.has(one)).map(bare) };
}

function pick(candidates: readonly Candidate[], { settings }: Pick<ArmContext, 'settings'>): Candidate[] {
  const share = settings.keepShare as number;
  switch (settings.keep) {
    case 'positive':
      return candidates.filter((one) => one.score > 0);
    case 'upper':
      return upper(candidates, (one) => one.score, share);
    case 'episodes': {
      const sums = new Map<number, number>();
      for (const { episode, score } of candidates) sums.set(episode, (sums.get(episode) ?? 0) + score);
      const best = new Set(upper([...sums.keys()], (episode) => sums.get(episode)!, share));
      return candidates.filter((one) => best.has(one.episode));
    }
    default:
      throw new RangeError(`keep=${String(settings.keep)}`);
  }
}

/**
 * The upper share by value. Ties at the edge stay out unless nothing would be left: with equal scores everywhere there is
 * no upper part, and nothing is kept.
 */
function upper<T>(items: readonly T[], value: (item: T) => number, share: number): T[] {
  if (items.length === 0) return [];
  const sorted = [...items].sort((a, b) => value(b) - value(a));
  const count = Math.max(1, Math.round(items.length * share));
  if (count >= sorted.length) return [...items];
  const edge = value(sorted[count]!);
  const above = sorted.filter((item) => value(item) > edge);
  if (above.length > 0) return above;
  return value(sorted[0]!) > value(sorted.at(-1)!) ? sorted.filter((item) => value(item) === value(sorted[0]!)) : [];
}
