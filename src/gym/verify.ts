// Believes nothing that a log claims: replays every episode from its seed and actions, reads every answer again, rebuilds
// every prompt, and computes every reward, score, report and hash anew. Names the first lines that differ.
import { firstBreak, hashText, timeless } from '../log/chain.ts';
import type { Checkpoint, EpisodeEvent, JsonValue, RunEvent } from '../log/events.ts';
import { PromptReader } from '../log/prompts.ts';
import { toErrorValue } from '../errors.ts';
import { configOf } from '../../games/instance.ts';
import { findGame } from '../../games/registry.ts';
import { parseAnswer } from './answer.ts';
import { hashOf, judgeParts, parseVerdict, proposalsOf } from './judging.ts';
import { plugins } from './registry.ts';
import { replay } from './replay.ts';

export interface Difference {
  n: number;
  field: string;
  logged: unknown;
  recomputed: unknown;
}

export interface Verification {
  ok: boolean;
  events: number;
  episodes: number;
  /** In the order of the log; at most `most`. */
  differences: Difference[];
}

export interface VerifyOptions {
  report(events: readonly RunEvent[]): { report: JsonValue; ledger: JsonValue };
  /** Bytes of a blob beside the log; null where it is missing. Absent: blobs are not looked at. */
  readBlob?: (hash: string) => Promise<Uint8Array | null>;
  hashBlob?: (bytes: Uint8Array) => string;
  most?: number;
}

export async function verifyLog(events: readonly RunEvent[], options: VerifyOptions): Promise<Verification> {
  const most = options.most ?? 20;
  const differences: Difference[] = [];
  const differ = (n: number, field: string, logged: unknown, recomputed: unknown) => {
    if (differences.length < most && !same(logged, recomputed)) differences.push({ n, field, logged, recomputed });
  };
  const broken = firstBreak(events);
  if (broken) differ(broken.n, broken.field, broken.logged, broken.expected);
  const reader = new PromptReader();
  let episodes = 0;
  for (const [index, event] of events.entries()) {
    try {
      const before = () => events.slice(0, index);
      switch (event.type) {
        case 'run.opened':
          if (index !== 0) differ(event.n, 'type', event.type, 'no second opening');
          break;
        case 'episode':
          episodes += 1;
          verifyEpisode(event, differ);
          reader.episode(event);
          break;
        case 'checkpoint':
          verifyCheckpoint(event, events, differ);
          break;
        case 'consolidation':
          reader.texts(event);
          if (event.memory !== null) differ(event.n, 'hash', event.hash, hashText(event.memory));
          for (const [i, one] of event.corrected.entries()) {
            const { action } = parseAnswer(one.completion);
            const other = action !== null && action.toUpperCase() !== one.from.toUpperCase();
            differ(event.n, `corrected[${i}].to`, one.to, other ? action : null);
          }
          break;
        case 'adapter.saved':
          for (const hash of [event.hash, event.optimizer]) {
            if (hash === null || !options.readBlob || !options.hashBlob) continue;
            const bytes = await options.readBlob(hash);
            differ(event.n, `blob ${hash.slice(0, 12)}`, bytes ? 'there' : 'missing', 'there');
            if (bytes) differ(event.n, 'hash', hash, options.hashBlob(bytes));
          }
          break;
        case 'plugin': {
          const plugin = plugins.find((one) => one.manifest.name === event.plugin);
          plugin?.validate?.(event.kind, event.payload);
          if (plugin?.replay) differ(event.n, 'payload', event.payload, plugin.replay(event, before()));
          break;
        }
        case 'run.closed': {
          const { report, ledger } = options.report(before());
          for (const [field, value] of firstUnequal(event.report, report, 'report'))
            differ(event.n, field, value[0], value[1]);
          for (const [field, value] of firstUnequal(event.ledger, ledger, 'ledger'))
            differ(event.n, field, value[0], value[1]);
          break;
        }
        case 'run.paused':
        case 'run.resumed':
        case 'run.failed':
          break;
        default:
          event satisfies never;
      }
    } catch (error) {
      const { code, message } = toErrorValue(error, 'log/bad-event');
      differ(event.n, code, message, null);
    }
  }
  const [first] = events;
  if (first?.type !== 'run.opened') differ(0, 'type', first?.type ?? null, 'run.opened');
  return { ok: differences.length === 0, events: events.length, episodes, differences };
}

type Differ = (n: number, field: string, logged: unknown, recomputed: unknown) => void;

function verifyEpisode(event: EpisodeEvent, differ: Differ) {
  const { n, steps } = event;
  for (const [i, step] of steps.entries()) {
    const answer = parseAnswer(step.completion);
    differ(n, `steps[${i}].action`, step.action, answer.action);
    differ(n, `steps[${i}].selfScore`, step.selfScore, answer.score);
  }
  if (event.endReason === 'failed') return;
  const again = replay(event);
  differ(n, 'instance', event.instance, again.instance);
  differ(n, 'steps', steps.length, again.steps.length);
  for (const [i, step] of steps.entries()) {
    for (const field of ['observation', 'valid', 'feedback', 'reward'] as const) {
      differ(n, `steps[${i}].${field}`, step[field], again.steps[i]?.[field]);
    }
  }
  for (const { index, proposal } of proposalsOf(event, rulesOf(event))) {
    const { judge, judgeScore } = steps[index]!;
    differ(n, `steps[${index}].judge.prompt`, judge!.prompt, hashOf(judgeParts(judge!.layout, proposal)));
    differ(n, `steps[${index}].judgeScore`, judgeScore, parseVerdict(judge!.completion));
  }
  differ(n, 'score', event.score, again.score);
  differ(n, 'success', event.success, again.success);
  differ(n, 'endReason', event.endReason, again.end);
  differ(n, 'cluster', event.cluster ?? null, again.cluster ?? null);
}

function rulesOf({ game: id, preset, phase, seed, role, split, options }: EpisodeEvent): string {
  const game = findGame(id);
  return game ? game.rules(configOf(game, { preset, phase, seed, role, split, options })) : '';
}

function verifyCheckpoint(event: Checkpoint, events: readonly RunEvent[], differ: Differ) {
  const own = event.episodes.map((n) => events[n]);
  const fits = own.map(
    (episode) =>
      episode?.type === 'episode' &&
      episode.pathway === event.pathway &&
      episode.game === event.game &&
      episode.runSeed === event.runSeed &&
      episode.checkpoint === event.x &&
      episode.split === event.split &&
      episode.role === event.role &&
      episode.replicate === event.replicate &&
      episode.phase === 'strict',
  );
  if (fits.includes(false))
    differ(
      event.n,
      `episodes[${fits.indexOf(false)}]`,
      event.episodes[fits.indexOf(false)],
      'an episode of this checkpoint',
    );
  differ(
    event.n,
    'scores',
    event.scores,
    own.map((episode) => (episode?.type === 'episode' ? episode.score : null)),
  );
}

const same = (a: unknown, b: unknown) => timeless(a ?? null) === timeless(b ?? null);

/** Paths of the leaves where two JSON values differ, with both values. */
function* firstUnequal(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  path: string,
): Generator<[string, [unknown, unknown]]> {
  if (same(a, b)) return;
  const bothLists = Array.isArray(a) && Array.isArray(b) && a.length === b.length;
  const isObject = (value: unknown): value is { [key: string]: JsonValue } =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (bothLists) {
    for (const [i, item] of (a as JsonValue[]).entries())
      yield* firstUnequal(item, (b as JsonValue[])[i], `${path}[${i}]`);
  } else if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      yield* firstUnequal(a[key], b[key], `${path}.${key}`);
  } else yield [path, [a ?? null, b ?? null]];
}
