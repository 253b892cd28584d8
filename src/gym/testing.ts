// For tests only: a small run of a scripted player, whole and without any weights.
import { stream } from '../../games/rng.ts';
import { CodedError } from '../errors.ts';
import { hashText } from '../hash.ts';
import type { RunEvent } from '../log/events.ts';
import { scriptedModel } from '../models/scripted/index.ts';
import type { LanguageModel, TrainingPort } from '../models/types.ts';
import { runConfig } from './config.ts';
import { cycle } from './cycle.ts';
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

/** The random player with adapters in name only: each update is `kl` nats away from the adapter before it. */
export function trainablePlayer(kl = 0.01) {
  const player = randomPlayer();
  /** Resident adapters' contents by hash, and how many updates each has behind it. */
  const held = new Map<string, { content: string; updates: number }>();
  /** Numbers of sequences that were scored, call by call. */
  const scored: number[] = [];
  const add = (content: string) => {
    const hash = hashText(content);
    held.set(hash, { content, updates: Number(content.split(' ')[0]) });
    return { hash, norms: { lora_A: content.length } };
  };
  const find = (hash: string) => {
    const found = held.get(hash);
    if (!found) throw new CodedError('model/no-adapter', `adapter ${hash} is not loaded`);
    return found;
  };
  let under = { content: '', updates: 0 };
  const training: TrainingPort = {
    fresh: async (_, seed) => add(`0 fresh ${seed}`),
    load: async ({ tensors }) => add(new TextDecoder().decode(tensors)),
    files: async (hash) => ({ config: '{}', tensors: new TextEncoder().encode(find(hash).content) }),
    start: async (hash) => void (under = { ...find(hash) }),
    step: async (examples) => {
      under.content = hashText(under.content + JSON.stringify(examples));
      return { loss: 1, gradNorm: 1, tokens: examples.reduce((sum, { ids }) => sum + ids.length, 0) };
    },
    finish: async () => ({ adapter: add(`${under.updates + 1} ${under.content}`), optimizer: new Uint8Array([1]) }),
    release: async () => {},
    score: async (sequences, adapter) => {
      scored.push(sequences.length);
      const value = -1 - kl * (adapter === null ? 0 : find(adapter).updates);
      return sequences.map((ids) => ids.slice(1).map(() => value));
    },
    baseHash: async () => hashText('base'),
  };
  const model: LanguageModel = {
    ...player,
    card: { ...player.card, canTrain: true },
    training,
    async complete(requests) {
      for (const { adapter } of requests) if (adapter !== null) find(adapter);
      return player.complete(requests);
    },
  };
  return { model, training, scored };
}

export interface SmallRun {
  model?: LanguageModel;
  host?: GameHost;
  from?: StartFrom;
  /** Takes in the run's blobs. */
  blobs?: Map<string, Uint8Array>;
  stopAfter?: number;
  watch?: (live: Live) => void;
}

export async function smallRun(
  settings: Settings = smallSettings,
  past: RunEvent[] = [],
  options: SmallRun = {},
): Promise<RunEvent[]> {
  const events = [...past];
  const items = cycle({
    config: runConfig(settings),
    model: options.model ?? randomPlayer(),
    host: options.host ?? localGameHost(),
    past,
    readBlob: async (hash) => options.blobs?.get(hash) ?? null,
    report: () => ({ report: null, ledger: null }),
    from: options.from ?? null,
  });
  for await (const item of items) {
    if (!('event' in item)) {
      options.watch?.(item.live);
      continue;
    }
    events.push(item.event);
    for (const [hash, bytes] of Object.entries(item.blobs)) options.blobs?.set(hash, bytes);
    if (events.length >= (options.stopAfter ?? Number.POSITIVE_INFINITY)) break;
  }
  return events;
}
