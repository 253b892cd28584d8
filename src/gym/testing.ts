// For tests only: a small run of a scripted player, whole and without any weights.
import { stream } from '../../games/rng.ts';
import type { RunEvent } from '../log/events.ts';
import { scriptedModel } from '../models/scripted/index.ts';
import { runConfig } from './config.ts';
import { cycle } from './cycle.ts';
import type { LanguageModel } from '../models/types.ts';
import { localGameHost, type GameHost } from './host.ts';
import type { Live } from './live.ts';
import type { Settings } from './settings.ts';
import type { StartFrom } from './startFrom.ts';

/** Plays at random among the words of the rules, scores at random, writes a tip when asked: all by the request's seed. */
export const randomPlayer = (context?: number) =>
  scriptedModel({
    ...(context === undefined ? {} : { context }),
    answer: (prompt, request) => {
      const rng = stream(request.sampling.seed, prompt.length);
      if (prompt.endsWith('Tips:')) return ` retain: tip ${rng.int(100)}`;
      if (request.forced) return ` ${rng.int(2)}`;
      const words = prompt.includes('collaborate') ? ['collaborate', 'cheat'] : ['UP', 'DOWN', 'LEFT', 'RIGHT'];
      return rng.next() < 0.05 ? ' nothing of the kind' : ` Answer: ${rng.pick(words)}, Score: ${rng.int(3) - 1}`;
    },
  });

export const smallSettings: Settings = {
  games: ['trust-v1', 'snake-v1'],
  pathways: [
    'frozen',
    'history',
    'history-shuffled',
    'summary',
    'frozen-sharp',
    'history@oracle-judge',
    'summary@oracle-guidance',
    'history@oracle-experience',
  ],
  explore: 4,
  every: 2,
  strict: 2,
  development: 2,
  sharpTemperatures: [0.5, 1],
};

export async function smallRun(
  settings: Settings = smallSettings,
  past: RunEvent[] = [],
  options: { host?: GameHost; model?: LanguageModel; from?: StartFrom; watch?: (live: Live) => void } = {},
): Promise<RunEvent[]> {
  const events = [...past];
  const items = cycle({
    config: runConfig(settings),
    model: options.model ?? randomPlayer(),
    from: options.from ?? null,
    host: options.host ?? localGameHost(),
    past,
    readBlob: async () => null,
    report: () => ({ report: null, ledger: null }),
  });
  for await (const item of items) {
    if ('event' in item) events.push(item.event);
    else options.watch?.(item.live);
  }
  return events;
}
