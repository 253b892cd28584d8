// The exact prompt of a logged step, rebuilt from the log's references and checked against its hash.
import type { EpisodeEvent, RunEvent } from '../../log/events.ts';
import { PromptReader } from '../../log/prompts.ts';

export function promptOf(events: readonly RunEvent[], event: EpisodeEvent, step: number): string {
  const reader = new PromptReader(events.slice(0, event.n));
  for (const [index, { prompt }] of event.steps.entries()) {
    const text = reader.text(prompt);
    if (index === step) return text;
  }
  throw new RangeError(`line ${event.n} has no step ${step}`);
}
