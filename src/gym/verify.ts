// Believes nothing that a log claims: its chain, its blobs, its closing report, and the whole course of the run are
// computed anew (course.ts). Names the first lines that differ.
import { toErrorValue } from '../errors.ts';
import { firstBreak } from '../log/chain.ts';
import type { JsonValue, RunEvent } from '../log/events.ts';
import type { ModelText } from '../models/types.ts';
import { verifyCourse } from './course.ts';
import { unequal, type Differ, type Difference } from './difference.ts';

export interface Verification {
  ok: boolean;
  events: number;
  episodes: number;
  /** In the order of the log; at most `most`. */
  differences: Difference[];
  /** What could not be looked at, in words, because something is missing here that no log holds. */
  unchecked: string[];
}

export interface VerifyOptions {
  report(events: readonly RunEvent[]): { report: JsonValue; ledger: JsonValue };
  /** Bytes of a blob beside the log; null where it is missing. Absent: blobs are not looked at. */
  readBlob?: (hash: string) => Promise<Uint8Array | null>;
  hashBlob?: (bytes: Uint8Array) => string;
  /** The tokenizer of the run's model; another one is not used. */
  text?: ModelText | null;
  most?: number;
}

export async function verifyLog(events: readonly RunEvent[], options: VerifyOptions): Promise<Verification> {
  const { most = 20, readBlob = async () => null } = options;
  const differences: Difference[] = [];
  const collect = (): Differ => {
    const own: Difference[] = [];
    return (n, field, logged, recomputed) => {
      if (own.length >= most) return;
      own.push({ n, field, logged, recomputed });
      differences.push(own.at(-1)!);
    };
  };
  const [opened] = events;
  const text = opened?.type === 'run.opened' && options.text?.hash === opened.hashes.tokenizer ? options.text : null;
  await verifyLines(events, options, collect());
  await verifyCourse(events, text, readBlob, collect());
  // Stable: of one line, its links and blobs come first.
  differences.sort((a, b) => a.n - b.n);
  return {
    ok: differences.length === 0,
    events: events.length,
    episodes: events.filter(({ type }) => type === 'episode').length,
    differences: differences.slice(0, most),
    unchecked: [
      ...(text ? [] : ['token ids, how much fitted a prompt, training examples: the model’s tokenizer is not here']),
      ...(options.readBlob || !events.some(namesBlobs) ? [] : ['adapters: there are no blobs beside the log']),
    ],
  };
}

const namesBlobs = (event: RunEvent) => blobsNamed(event).length > 0;

function blobsNamed(event: RunEvent): string[] {
  if (event.type === 'adapter.saved') return event.optimizer === null ? [event.hash] : [event.hash, event.optimizer];
  if (event.type === 'run.opened' && typeof event.from === 'object') return Object.values(event.from ?? {}).map(String);
  return [];
}

/** What a line says that needs no play: its link, its blobs, the base's fingerprint, the closing report. */
async function verifyLines(events: readonly RunEvent[], options: VerifyOptions, differ: Differ) {
  const { readBlob, hashBlob, report } = options;
  const [opened] = events;
  if (opened?.type !== 'run.opened') differ(0, 'type', opened?.type ?? null, 'run.opened');
  const broken = firstBreak(events);
  if (broken) differ(broken.n, broken.field, broken.logged, broken.expected);
  let baseHash: string | null = null;
  for (const [index, event] of events.entries()) {
    const compare = (field: string, logged: JsonValue, recomputed: JsonValue) => {
      for (const difference of unequal(logged, recomputed, field)) differ(event.n, ...difference);
    };
    try {
      for (const hash of readBlob && hashBlob ? blobsNamed(event) : []) {
        const bytes = await readBlob!(hash);
        compare(`blob ${hash.slice(0, 12)}`, bytes ? hashBlob!(bytes) : 'missing', hash);
      }
      if (event.type === 'adapter.saved') {
        baseHash ??= event.baseHash;
        compare('baseHash', event.baseHash, baseHash);
      } else if (event.type === 'run.closed') {
        const again = report(events.slice(0, index));
        compare('report', event.report, again.report);
        compare('ledger', event.ledger, again.ledger);
      }
    } catch (error) {
      const { code, message } = toErrorValue(error, 'log/bad-event');
      differ(event.n, code, message, null);
    }
  }
}
