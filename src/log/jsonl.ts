// A log as text: one event a line, then, where wanted, its blobs as lines that the chain leaves out.
// Reading trusts nothing: every line is checked, and the first that does not fit is named by its number.
import * as v from 'valibot';
import { CodedError, type ErrorCode } from '../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { hashBytes } from '../hash.ts';
import { hashEvent } from './chain.ts';
import { RunEvent, type JsonValue } from './events.ts';
import { linesOf, type TextSource } from './lines.ts';

export const FORMAT = 1;
const LARGEST_BLOB = 1 << 30;
const DEEPEST = 64;
/** Bytes of a blob on one line, a multiple of three. */
const BLOB_SLICE = 3 << 18;

/** Part `index` of `of` of a blob's bytes. Blob lines follow the last event. */
const BlobLine = v.object({
  type: v.literal('blob'),
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  index: v.pipe(v.number(), v.integer(), v.minValue(0)),
  of: v.pipe(v.number(), v.integer(), v.minValue(1)),
  base64: v.string(),
});

export type LogItem =
  { kind: 'event'; line: number; event: RunEvent } | { kind: 'blob'; line: number; hash: string; bytes: Uint8Array };

export interface ReadOptions {
  /** Default true. `verify` reads without, to report breaks as differences. */
  chain?: boolean;
  longestLine?: number;
  /** A last line that a crash cut off is passed here instead of being an error. */
  onTorn?: (line: { number: number; text: string }) => void;
}

/** The event's one text: `type`, `n`, `prev`, then every key in order of its name. Errors: log/not-json. */
export function serialise(event: RunEvent): string {
  const { type, n, prev, ...rest } = event;
  return `{"type":${stable(type)},"n":${stable(n)},"prev":${stable(prev)}${fields(rest, ',')}}`;
}

function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (value !== null && typeof value === 'object') return `{${fields(value, '')}}`;
  const fits = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
  if (!fits)
    throw new CodedError('log/not-json', `a log cannot hold ${String(value)}`, 'this is a fault of the program');
  return JSON.stringify(value);
}

function fields(value: object, lead: string): string {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, item], i) => `${i === 0 ? lead : ','}${JSON.stringify(key)}:${stable(item)}`).join('');
}

/** A blob's lines. */
export function* blobLines(hash: string, bytes: Uint8Array): Generator<string> {
  const of = Math.max(1, Math.ceil(bytes.length / BLOB_SLICE));
  for (let index = 0; index < of; index++) {
    const base64 = toBase64(bytes.subarray(index * BLOB_SLICE, (index + 1) * BLOB_SLICE));
    yield JSON.stringify({ type: 'blob', hash, index, of, base64 });
  }
}

/**
 * Reads a log line by line; holds one line (and one blob) at a time.
 * Errors: import/not-a-log, import/version, import/bad-line, import/bad-chain, import/bad-blob, import/too-large.
 */
export async function* readLog(source: TextSource, options: ReadOptions = {}): AsyncGenerator<LogItem> {
  const { chain = true, longestLine, onTorn } = options;
  let last: RunEvent | null = null;
  let blob: BlobParts | null = null;
  let afterEvents = false;
  for await (const { number, text, ended } of linesOf(source, longestLine)) {
    if (text.trim() === '') continue;
    let value: unknown;
    try {
      value = parse(text);
    } catch (error) {
      if (last === null) throw notALog(`line ${number} is not JSON`);
      if (!ended && onTorn) return onTorn({ number, text });
      throw lineError(number, (error as Error).message);
    }
    if (last !== null && isObject(value) && value.type === 'blob') {
      afterEvents = true;
      blob = takeBlob(blob, value, number);
      if (blob.parts.length < blob.of) continue;
      yield { kind: 'blob', line: number, hash: blob.hash, bytes: join(blob) };
      blob = null;
      continue;
    }
    if (afterEvents) throw lineError(number, 'an event after the blobs');
    if (last === null) checkFirst(value, number);
    const event = checkEvent(value, number);
    if (chain) checkPlace(event, last, number);
    yield { kind: 'event', line: number, event };
    last = event;
  }
  if (last === null) throw notALog('the file is empty');
  if (blob) throw new CodedError('import/bad-blob', `the file ends within blob ${blob.hash}`, 'the file was cut off');
}

/** The events of a text or stream, without its blobs. */
export async function readEvents(source: TextSource, options?: ReadOptions): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const item of readLog(source, options)) if (item.kind === 'event') events.push(item.event);
  return events;
}

function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Walked without recursion: what follows may recurse, because nothing deep gets past here.
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new Error(`nested deeper than ${DEEPEST}`);
    const below: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'number' && !Number.isFinite(item)) throw new Error('a number that is not finite');
      if (!isObject(item)) continue;
      if (Object.hasOwn(item, '__proto__')) throw new Error('a key named __proto__');
      for (const key in item) below.push(item[key]);
    }
    level = below;
  }
  return value;
}

function checkFirst(value: unknown, number: number) {
  if (!isObject(value) || value.type !== 'run.opened') throw notALog(`line ${number} is not run.opened`);
  if (value.format !== FORMAT) {
    const found = typeof value.format === 'number' ? `format ${value.format}` : 'no format';
    throw new CodedError('import/version', `this log has ${found}; known is ${FORMAT}`, 'open it with a newer version');
  }
}

function checkEvent(value: unknown, number: number): RunEvent {
  const result = v.safeParse(RunEvent, value, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const path = v.getDotPath(issue);
    throw lineError(number, `${path === null ? '' : `${path}: `}${issue.message.slice(0, 300)}`);
  }
  // The line as it was, not the schema's copy: fields that others add belong to its hash.
  return value as RunEvent;
}

function checkPlace(event: RunEvent, last: RunEvent | null, number: number) {
  const n = last ? last.n + 1 : 0;
  if (event.n !== n) throw lineError(number, `n is ${event.n}, expected ${n}`, 'import/bad-chain');
  const prev = last ? hashEvent(last) : null;
  if (event.prev !== prev) {
    throw lineError(number, 'prev is not the hash of the line before, which was changed', 'import/bad-chain');
  }
}

interface BlobParts {
  hash: string;
  of: number;
  bytes: number;
  parts: Uint8Array[];
}

function takeBlob(open: BlobParts | null, value: object, number: number): BlobParts {
  const result = v.safeParse(BlobLine, value);
  if (!result.success) throw lineError(number, result.issues[0].message);
  const { hash, index, of, base64 } = result.output;
  const blob = open ?? { hash, of, bytes: 0, parts: [] };
  if (hash !== blob.hash || of !== blob.of || index !== blob.parts.length) {
    throw lineError(number, `part ${index} of ${of} of a blob, out of order`);
  }
  let part: Uint8Array;
  try {
    part = fromBase64(base64);
  } catch {
    throw lineError(number, 'not base64');
  }
  blob.bytes += part.length;
  if (blob.bytes > LARGEST_BLOB) throw lineError(number, `a blob of over ${LARGEST_BLOB} bytes`, 'import/too-large');
  blob.parts.push(part);
  return blob;
}

function join({ hash, bytes, parts }: BlobParts): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  if (hashBytes(whole) !== hash) {
    throw new CodedError('import/bad-blob', `blob ${hash} has other bytes than its name says`, 'the file was changed');
  }
  return whole;
}

const isObject = (value: unknown): value is { [key: string]: JsonValue } => typeof value === 'object' && value !== null;

const notALog = (what: string) =>
  new CodedError('import/not-a-log', `not a log of a run: ${what}`, 'choose a LOG.jsonl that a run wrote or exported');

const lineError = (line: number, what: string, code: ErrorCode = 'import/bad-line') =>
  new CodedError(code, `line ${line}: ${what}`, 'the file was changed or cut off');
