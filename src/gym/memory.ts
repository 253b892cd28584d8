// Earlier episodes as memories show them: lines of `Env:` and `LLM:`, whole episodes within a token budget. Shared by
// pathways that put experience into the prompt; knows none of them.
import { hashText } from '../hash.ts';
import type { Consolidation, StepRef } from '../log/events.ts';
import type { ExperienceStep, ExperienceView } from './experience.ts';
import type { ArmContext, Made } from './plugin.ts';
import { stateText, turnLines } from './prompts.ts';

export interface Remembered {
  index: number;
  steps: readonly ExperienceStep[];
  /** Sum of the scores that the arm goes by; steps without one count nothing. */
  total: number;
}

export const remember = (view: ExperienceView): Remembered => ({
  index: view.index,
  steps: view.steps,
  total: view.steps.reduce((sum, step) => sum + (step.score ?? 0), 0),
});

/** An episode's lines. `scores` replaces the steps' own, in order (the shuffled control). */
export function episodeLines(episode: Remembered, scores?: readonly (number | null)[]): string {
  const lines = episode.steps.map((step, i) => {
    const before = i === 0 ? '' : episode.steps[i - 1]!.feedback;
    return turnLines(
      stateText(before, step.observation ?? ''),
      step.action,
      scores ? scores[i]! : (step.score ?? null),
    );
  });
  const last = episode.steps.at(-1)?.feedback ?? '';
  // What the last action led to has no next state that could carry it.
  return ['Episode:', ...lines, ...(last === '' ? [] : [`Env: ${last}`])].join('\n');
}

/** As many of the last texts as fit, in their order: whole episodes, the first ones are dropped. */
export async function lastThatFit(
  texts: readonly string[],
  room: number,
  most: number,
  { budget }: Pick<ArmContext, 'budget'>,
) {
  const from = texts.length - (await budget.last(texts, room, most));
  return { from, texts: texts.slice(from) };
}

/** The episode's first steps, as many as fit: for a budget in which no whole episode fits. Null when not even one does. */
export async function headThatFits(
  episode: Remembered,
  room: number,
  { budget }: Pick<ArmContext, 'budget'>,
): Promise<Remembered | null> {
  const heads = episode.steps.map((_, i): Remembered => ({ ...episode, steps: episode.steps.slice(0, i + 1) }));
  const texts = heads.map((head) => episodeLines(head));
  return heads[(await budget.furthest(texts, room)) - 1] ?? null;
}

export const refs = (episodes: readonly Remembered[]): StepRef[] =>
  episodes.flatMap(({ index, steps }) => steps.map((_, step) => ({ episode: index, step })));

/** A consolidation event for a memory that is text. */
export function memoryEvent(
  context: ArmContext,
  x: number,
  what: { sentence: string; memory: string; kept: StepRef[]; dropped: StepRef[] } & Partial<
    Pick<Consolidation, 'prompt' | 'promptTokens' | 'completion' | 'completionTokens'>
  >,
): Made<Consolidation> {
  return {
    draft: {
      type: 'consolidation',
      runSeed: context.runSeed,
      game: context.game,
      pathway: context.name,
      x,
      corrected: [],
      prompt: null,
      promptTokens: null,
      completion: null,
      completionTokens: null,
      hash: hashText(what.memory),
      ...what,
    },
  };
}
