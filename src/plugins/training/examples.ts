// BuildSFT: kept steps as token sequences with weights. Where prompts only grow, one sequence trains an episode's steps.
import type { ExperienceStep, ExperienceView } from '../../gym/experience.ts';
import type { ArmContext } from '../../gym/plugin.ts';
import type { Consolidation, StepRef } from '../../log/events.ts';
import type { TrainingExample } from '../../models/types.ts';

type Chosen = { kept: readonly StepRef[]; corrected: Consolidation['corrected'] };

/** Weight 1 on every token of a kept answer but those of its score's number; 0 elsewhere. */
export async function buildExamples(
  window: readonly ExperienceView[],
  { kept, corrected }: Chosen,
  context: Pick<ArmContext, 'pieces'>,
): Promise<TrainingExample[]> {
  const examples: TrainingExample[] = [];
  for (const view of window) {
    const own = new Set(kept.filter((ref) => ref.episode === view.index).map((ref) => ref.step));
    const steps = view.steps.filter((step) => own.has(step.step));
    const pieces = await context.pieces(steps.map((step) => step.completionIds!));
    let open: { example: TrainingExample; last: ExperienceStep } | null = null;
    for (const [i, step] of steps.entries()) {
      const ids = [...step.promptIds!, ...step.completionIds!];
      const answer = answerWeights(pieces[i]!);
      // The sequence of the step before is a prefix of this one's prompt when prompts grow (less the answer's end).
      if (open && isPrefix(open.last, step)) {
        const { weights } = open.example;
        open.example.ids = ids;
        while (weights.length < step.promptIds!.length) weights.push(0);
        weights.length = step.promptIds!.length;
        weights.push(...answer);
      } else {
        const example = { ids, weights: [...step.promptIds!.map(() => 0), ...answer] };
        examples.push(example);
        open = { example, last: step };
      }
      open.last = step;
    }
  }
  return [...examples, ...(await correctedExamples(window, corrected, context))];
}

/** Tokens up to `Score:` and what follows the number; the number itself is not taught (docs/LOG.md). */
export function answerWeights(pieces: readonly string[]): number[] {
  const text = pieces.join('');
  const mark = text.toLowerCase().lastIndexOf('score:');
  if (mark < 0) return pieces.map(() => 1);
  const from = mark + 'score:'.length;
  let at = 0;
  return pieces.map((piece) => {
    const start = at;
    at += piece.length;
    return start >= from && piece.trim() !== '' ? 0 : 1;
  });
}

/** Whether the earlier step's prompt stands at the head of the later step's. */
export function isPrefix(earlier: ExperienceStep, later: ExperienceStep): boolean {
  const prompt = later.promptIds!;
  const head = earlier.promptIds!;
  return prompt.length > head.length && head.every((id, i) => prompt[i] === id);
}

async function correctedExamples(
  window: readonly ExperienceView[],
  corrected: Consolidation['corrected'],
  context: Pick<ArmContext, 'pieces'>,
): Promise<TrainingExample[]> {
  const used = corrected.filter((one) => one.to !== null);
  const pieces = await context.pieces(used.map((one) => one.completionTokens));
  return used.map((one, i) => {
    const step = window.find((view) => view.index === one.episode)!.steps[one.step]!;
    return {
      ids: [...step.promptIds!, ...one.completionTokens],
      weights: [...step.promptIds!.map(() => 0), ...answerWeights(pieces[i]!)],
    };
  });
}
