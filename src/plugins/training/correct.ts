// The correction call of BuildSFT: a low-scored action is replaced by another that the same model proposes when it is
// shown its own low score.
import { parseAnswer } from '../../gym/answer.ts';
import { samplingOf } from '../../gym/decoding.ts';
import type { ExperienceView } from '../../gym/experience.ts';
import type { ArmContext } from '../../gym/plugin.ts';
import { correctionPrompt, stateText } from '../../gym/prompts.ts';
import type { Consolidation, StepRef } from '../../log/events.ts';

export async function correctLow(
  window: readonly ExperienceView[],
  low: readonly StepRef[],
  context: ArmContext,
): Promise<Consolidation['corrected']> {
  if (low.length === 0) return [];
  const asked = low.map((ref) => {
    const view = window.find((one) => one.index === ref.episode)!;
    const step = view.steps[ref.step]!;
    const before = ref.step === 0 ? '' : view.steps[ref.step - 1]!.feedback;
    return { ref, step, state: stateText(before, step.observation!) };
  });
  const completions = await context.call(
    asked.map(({ ref, step, state }) => ({
      parts: correctionPrompt(context.rules, state, step.action, step.score ?? null),
      sampling: samplingOf(context.preset, {
        temperature: context.settings.exploreTemperature as number,
        seed: context.seed('correct', ref.episode, ref.step),
        maxTokens: context.answerTokens(context.settings.outputTokens as number),
      }),
    })),
  );
  return asked.map(({ ref, step }, i) => {
    const completion = completions[i]!;
    const { action } = parseAnswer(completion.text);
    const other = action !== null && action.toUpperCase() !== (step.action ?? '').toUpperCase();
    return {
      ...ref,
      from: step.action ?? '',
      // The same action again, or no answer, corrects nothing.
      to: other ? action : null,
      prompt: context.write([context.rules], completion.promptText),
      promptLength: completion.promptIds.length,
      completion: completion.text,
      completionTokens: completion.ids,
    };
  });
}
