// The database `s3gym`: its stores, how it is opened and upgraded, what its errors mean. Knows nothing of runs' content.
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import { CodedError } from '../errors.ts';
import type { RunRecord } from './store.ts';

export const DATABASE = 's3gym';
export const VERSION = 1;

export interface BlobRecord {
  hash: string;
  bytes: number;
  chunks: number;
  /** The runs that brought it; deleted with the last of them. */
  runs: string[];
}

export interface Schema extends DBSchema {
  runs: { key: string; value: RunRecord };
  /** The events' lines, as JSONL holds them. */
  events: { key: [runId: string, n: number]; value: string };
  blobs: { key: string; value: BlobRecord; indexes: { runs: string } };
  /** A blob's bytes in portions: one value over ~127 MiB fails with a bare AbortError. */
  chunks: { key: [hash: string, index: number]; value: Uint8Array };
  meta: { key: string; value: unknown };
}

export type Database = IDBPDatabase<Schema>;

export interface OpenOptions {
  name?: string;
  version?: number;
  /** How long to wait for other tabs to let go of an older version. */
  blockedMs?: number;
  /** The connection is gone: another tab upgrades, or the browser closed it. */
  onClosed?: (error: CodedError) => void;
}

/** Errors: storage/unavailable, storage/blocked, storage/newer. */
export async function openDatabase(options: OpenOptions = {}): Promise<Database> {
  const { name = DATABASE, version = VERSION, blockedMs = 3000, onClosed } = options;
  if (typeof indexedDB === 'undefined') throw unavailable('this browser offers no database here');
  const blocked = new CodedError(
    'storage/blocked',
    'another tab holds an older version of the store',
    'close the other tabs of this page, then try again',
  );
  const opening = openDB<Schema>(name, version, {
    upgrade: (db, from) => upgrade(db as Database, from),
    // Let a newer page upgrade; this one can no longer store.
    blocking(_from, _to, event) {
      (event.target as IDBDatabase).close();
      onClosed?.(closed('another tab opened a newer version of this page'));
    },
    terminated: () => onClosed?.(closed('the browser closed the store')),
  });
  // `blocked` is fired for the first waiting opener only, so each one has its own clock.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(blocked), blockedMs)));
  try {
    return await Promise.race([opening, late]);
  } catch (error) {
    if (error === blocked) void opening.then((db) => db.close()).catch(() => undefined);
    if (error instanceof CodedError) throw error;
    const { name: kind = '', message = String(error) } = error as DOMException;
    if (kind !== 'VersionError') throw unavailable(`the store cannot be opened (${kind}: ${message})`);
    throw new CodedError('storage/newer', 'the store was written by a newer version of this page', 'reload the page');
  } finally {
    clearTimeout(timer);
  }
}

/** Each step takes the store from one version to the next, inside the upgrade's own transaction. */
function upgrade(db: Database, from: number) {
  if (from < 1) {
    db.createObjectStore('runs', { keyPath: 'id' });
    db.createObjectStore('events');
    db.createObjectStore('blobs', { keyPath: 'hash' }).createIndex('runs', 'runs', { multiEntry: true });
    db.createObjectStore('chunks');
    db.createObjectStore('meta');
  }
}

type StoreName = 'runs' | 'events' | 'blobs' | 'chunks' | 'meta';
export type WriteTransaction = ReturnType<typeof begin>;

/** Strict: done means on the disk, not in a buffer. */
const begin = (db: Database, stores: StoreName[]) => db.transaction(stores, 'readwrite', { durability: 'strict' });

/**
 * One transaction. It has succeeded only when `done` resolves: under a full disk every `put` resolves and `done` fails.
 * Whatever goes wrong, nothing of it stays.
 */
export async function write<T>(
  db: Database,
  stores: StoreName[],
  work: (tx: WriteTransaction) => Promise<T>,
): Promise<T> {
  let tx: WriteTransaction | undefined;
  try {
    tx = begin(db, stores);
    tx.done.catch(() => undefined); // awaited below; it may reject before that
    const result = await work(tx);
    await tx.done;
    return result;
  } catch (error) {
    const cause = error instanceof CodedError ? error : (tx?.error ?? error);
    try {
      tx?.abort();
    } catch {
      // It has ended already.
    }
    throw storageError(cause);
  }
}

export function storageError(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  const { name = '', message = String(error) } = (error ?? {}) as DOMException;
  switch (name) {
    case 'QuotaExceededError':
      return new CodedError(
        'storage/quota',
        'the browser has no room left for this page',
        'delete or export runs, or free disk space; everything stored before is kept',
      );
    case 'InvalidStateError':
      return closed('the store is closed');
    case 'AbortError':
      return new CodedError(
        'storage/aborted',
        `the browser gave up a write: ${message}`,
        'try again; nothing was lost',
      );
    case 'ConstraintError':
      return new CodedError('storage/conflict', 'another tab wrote to this run', 'reload this page');
    default:
      return new CodedError('storage/broken', `the store failed: ${name} ${message}`, 'export your runs, then reload');
  }
}

const closed = (why: string) => new CodedError('storage/closed', why, 'reload this page; stored runs are kept');
const unavailable = (why: string) =>
  new CodedError('storage/unavailable', why, 'runs last until the page is closed; export what you want to keep');
