// The exact prompt of a logged step, rebuilt from the log's references and checked against its hash.
import { CodedError } from '../../errors.ts';
import type { EpisodeEvent, RunEvent } from '../../log/events.ts';
import { PromptReader } from '../../log/prompts.ts';

/** Errors: log/no-step; those of PromptReader. */
export function promptOf(events: readonly RunEvent[], event: EpisodeEvent, step: number): string {
  const reader = new PromptReader(events.slice(0, event.n));
  for (const [index, { prompt }] of event.steps.entries()) {
    const text = reader.text(prompt);
    if (index === step) return text;
  }
  throw new CodedError('log/no-step', `line ${event.n} has no step ${step}`, 'the log was changed or cut off');
}
