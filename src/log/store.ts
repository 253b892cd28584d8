// Where runs are kept: the interface, and what is known of a run without reading it. Knows no database.
import { bytesToHex } from '@noble/hashes/utils.js';
import { CodedError, type ErrorValue } from '../errors.ts';
import { hashBytes } from '../hash.ts';
import type { JsonValue, RunEvent } from './events.ts';
import { serialise } from './jsonl.ts';

type Settings = Record<string, JsonValue>;
export type Blobs = Readonly<Record<string, Uint8Array>>;

export interface RunRecord {
  id: string;
  title: string;
  /** Milliseconds since 1970. */
  openedAt: number;
  events: number;
  state: 'open' | 'done' | 'stopped' | 'failed';
  /** As run.opened has them: without facts of the machine. */
  settings: Settings;
  /**
   * As the run was asked for, facts of the machine (threads, a model's folder) among them, so that it goes on as it
   * began. Absent: it was imported, or stored by an earlier version.
   */
  given?: Settings;
  /** Bytes of its lines and of the blobs that it brought. */
  bytes: number;
}

/** Errors of every call: storage/quota, storage/closed, storage/aborted, storage/broken. */
export interface RunStore {
  readonly kind: 'indexeddb' | 'memory';
  /** Why runs will not outlast the page, for people; null when they will. */
  readonly warning: ErrorValue | null;
  /**
   * Stores the next event with its blobs, all or nothing; once it resolves, both are on the disk. `given`: with
   * run.opened, what its record keeps of the settings beside the log.
   * Errors: storage/conflict when the log is not at `event.n`; log/bad-blob.
   */
  append(runId: string, event: RunEvent, blobs?: Blobs, given?: Settings): Promise<void>;
  /** A whole run at once, all or nothing. Errors: storage/conflict when the id is taken. */
  insert(runId: string, events: readonly RunEvent[], blobs?: Blobs): Promise<void>;
  /** Lines from <= n < to, in order, read in portions. */
  lines(runId: string, from?: number, to?: number): AsyncGenerator<string>;
  runs(): Promise<RunRecord[]>;
  /** Errors: storage/missing. */
  run(runId: string): Promise<RunRecord>;
  /** Errors: log/bad-blob when the bytes are no longer those of the name. */
  blob(hash: string): Promise<Uint8Array | null>;
  /** Hashes of the blobs that came with a run. */
  blobsOf(runId: string): Promise<string[]>;
  /** Deletes the run, and those of its blobs that no other run has. Unknown ids are ignored. */
  remove(runId: string): Promise<void>;
  close(): void;
}

export async function* eventsOf(store: RunStore, runId: string, from?: number, to?: number): AsyncGenerator<RunEvent> {
  for await (const line of store.lines(runId, from, to)) yield JSON.parse(line) as RunEvent;
}

/** `20261130-144500-a1b2c3`: sorts by time, and two tabs do not meet. */
export function newRunId(now = new Date()): string {
  const time = now.toISOString().replace(/\D/g, '');
  const salt = crypto.getRandomValues(new Uint8Array(3));
  return `${time.slice(0, 8)}-${time.slice(8, 14)}-${[...salt].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The record after one more event. Errors: storage/conflict. */
export function recordAfter(
  record: RunRecord | undefined,
  runId: string,
  event: RunEvent,
  bytes: number,
  given?: Settings,
): RunRecord {
  const at = record?.events ?? 0;
  if (event.n !== at) {
    throw new CodedError(
      'storage/conflict',
      `run ${runId} stands at line ${at}, not ${event.n}`,
      'another tab wrote to it; reload this page',
    );
  }
  if (event.type === 'run.opened') {
    const settings = event.config;
    const openedAt = event.at ?? Date.now();
    const opened = { id: runId, title: titleOf(settings), openedAt, events: 1, state: 'open' as const };
    return { ...opened, settings, ...(given ? { given } : {}), bytes };
  }
  if (!record) throw new CodedError('storage/conflict', `run ${runId} has no run.opened`, 'start a new run');
  return { ...record, events: at + 1, bytes: record.bytes + bytes, state: stateAfter(record.state, event) };
}

function stateAfter(state: RunRecord['state'], event: RunEvent): RunRecord['state'] {
  if (event.type === 'run.closed') return event.reason;
  if (event.type === 'run.failed') return 'failed';
  return event.type === 'run.resumed' ? 'open' : state;
}

function titleOf(settings: RunRecord['settings']): string {
  const list = (value: JsonValue | undefined) => (Array.isArray(value) ? value.join(', ') : String(value ?? ''));
  return `${list(settings.games)}: ${list(settings.pathways)}`;
}

export interface PreparedEvent {
  event: RunEvent;
  line: string;
}

export const prepare = (event: RunEvent): PreparedEvent => ({ event, line: serialise(event) });

/** Errors: log/bad-blob. */
export async function checkBlobs(blobs: Blobs): Promise<void> {
  for (const [hash, bytes] of Object.entries(blobs)) await checkBlob(hash, bytes);
}

export async function checkBlob(hash: string, bytes: Uint8Array): Promise<Uint8Array> {
  if ((await digest(bytes)) !== hash) {
    throw new CodedError('log/bad-blob', `blob ${hash} has other bytes than its name says`, 'import the run again');
  }
  return bytes;
}

/** The browser's own SHA-256 where there is one (not on plain HTTP): an adapter has some tens of megabytes. */
async function digest(bytes: Uint8Array): Promise<string> {
  const { subtle } = crypto as Partial<Crypto>;
  if (!subtle || !(bytes.buffer instanceof ArrayBuffer)) return hashBytes(bytes);
  return bytesToHex(new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)));
}
