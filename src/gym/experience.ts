// What an arm may look at: an episode's facts, less every signal that its manifest does not name. The wall between the
// verifier and the learner stands here.
import type { EpisodeEvent } from '../log/events.ts';

export const SIGNALS = [
  'observation',
  'completion',
  'selfScore',
  'judgeScore',
  'verifierReward',
  'verifierOutcome',
  'expert',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** Signals that come from the verifier or from a player who knows the game. */
const VERIFIER: readonly Signal[] = ['verifierReward', 'verifierOutcome', 'expert'];

export const labelOf = (reads: readonly Signal[]): 'hidden-reward' | 'oracle-fed' =>
  reads.some((signal) => VERIFIER.includes(signal)) ? 'oracle-fed' : 'hidden-reward';

/** Text and ids of one step, rebuilt from the log. */
export interface StepText {
  prompt: string;
  promptIds: readonly number[];
}

export interface ExperienceStep {
  readonly step: number;
  readonly valid: boolean;
  readonly feedback: string;
  readonly action: string | null;
  readonly observation?: string;
  readonly prompt?: string;
  readonly promptIds?: readonly number[];
  readonly completion?: string;
  readonly completionIds?: readonly number[];
  /** The score that the arm goes by: a judge's where there is one, else its own. Present with selfScore or judgeScore. */
  readonly score?: number | null;
  readonly verifierReward?: number;
}

/** One exploration episode as an arm may see it. */
export interface ExperienceView {
  readonly index: number;
  readonly game: string;
  readonly instance: string;
  readonly steps: readonly ExperienceStep[];
  readonly verifierOutcome?: { score: number; success: boolean };
}

export function experienceView(
  event: EpisodeEvent,
  texts: readonly StepText[],
  reads: readonly Signal[],
): ExperienceView {
  const may = (signal: Signal) => reads.includes(signal);
  const steps = event.steps.map((step, i): ExperienceStep => ({
    step: i,
    valid: step.valid,
    feedback: step.feedback,
    action: step.action,
    ...(may('observation')
      ? { observation: step.observation, prompt: texts[i]!.prompt, promptIds: texts[i]!.promptIds }
      : {}),
    ...(may('completion') ? { completion: step.completion, completionIds: step.completionTokens } : {}),
    ...(may('selfScore') || may('judgeScore')
      ? { score: step.judge ? step.judgeScore : (step.judgeScore ?? step.selfScore) }
      : {}),
    ...(may('verifierReward') ? { verifierReward: step.reward } : {}),
  }));
  return Object.freeze({
    index: event.index,
    game: event.game,
    instance: event.instance,
    steps,
    ...(may('verifierOutcome') ? { verifierOutcome: { score: event.score, success: event.success } } : {}),
  });
}
