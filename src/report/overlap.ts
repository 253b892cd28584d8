// How many instances occur both in exploration and among the held-out ones: 0 by construction, counted all the same.
import type { RunEvent } from '../log/events.ts';
import type { Overlap } from './types.ts';

export function overlapOf(logs: readonly (readonly RunEvent[])[], game: string, exempt: boolean): Overlap {
  const exploration = new Set<string>();
  const strict = new Set<string>();
  for (const event of logs.flat()) {
    if (event.type !== 'episode' || event.game !== game) continue;
    if (event.phase === 'explore') exploration.add(event.instance);
    else if (event.role === 'strict') strict.add(event.instance);
  }
  const shared = [...exploration].filter((id) => strict.has(id)).length;
  return { exploration: exploration.size, strict: strict.size, shared, exempt };
}
