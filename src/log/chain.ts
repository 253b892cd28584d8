// The hash chain: `prev` is the SHA-256 of the line before without its times and `host`, so that lines cannot be
// edited, dropped or swapped unseen. Knows nothing of what an event means.
import { hashText } from '../hash.ts';
import type { Draft, RunEvent } from './events.ts';

/** Keys of times and machine facts, which the chain leaves out. */
export const isTime = (key: string): boolean => key === 'at' || key === 'host' || key.endsWith('Ms');

/** The event's JSON with keys sorted and without times and machine facts: equal runs give equal text. */
export function timeless(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(timeless).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([key, item]) => !isTime(key) && item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${timeless(item)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

export const hashEvent = (event: RunEvent): string => hashText(timeless(event));

/** Gives drafts their place: n = 0, 1, 2, … and the hash of the line before. */
export class Chain {
  private n: number;
  private prev: string | null;

  /** `last` is the last event already written, when a log goes on. */
  constructor(last?: RunEvent) {
    this.n = last ? last.n + 1 : 0;
    this.prev = last ? hashEvent(last) : null;
  }

  /** Number of the next event. */
  get next(): number {
    return this.n;
  }

  link(draft: Draft): RunEvent {
    const { type, ...rest } = draft;
    const event = { type, n: this.n, prev: this.prev, ...rest } as RunEvent;
    this.n += 1;
    this.prev = hashEvent(event);
    return event;
  }
}

/** First line whose place or hash does not fit, or null. */
export function firstBreak(
  events: readonly RunEvent[],
): { n: number; field: 'n' | 'prev'; logged: unknown; expected: unknown } | null {
  let prev: string | null = null;
  for (const [index, event] of events.entries()) {
    if (event.n !== index) return { n: index, field: 'n', logged: event.n, expected: index };
    if (event.prev !== prev) return { n: index, field: 'prev', logged: event.prev, expected: prev };
    prev = hashEvent(event);
  }
  return null;
}
