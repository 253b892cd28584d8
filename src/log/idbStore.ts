// Runs in IndexedDB: each append is one transaction, awaited to its end. Knows nothing of what the events mean.
import type { RunEvent } from './events.ts';
import { CodedError } from '../errors.ts';
import {
  openDatabase,
  storageError,
  write,
  type Database,
  type OpenOptions,
  type WriteTransaction,
} from './database.ts';
import { checkBlob, checkBlobs, prepare, recordAfter, type Blobs, type RunRecord, type RunStore } from './store.ts';

const CHUNK = 32 << 20;
const PORTION = 32;
const ALL = ['runs', 'events', 'blobs', 'chunks'] as const;

/** Errors: those of openDatabase. */
export async function openIdbStore(options: OpenOptions = {}): Promise<RunStore> {
  let gone: CodedError | null = null;
  const db = await openDatabase({
    ...options,
    onClosed: (error) => {
      gone = error;
      options.onClosed?.(error);
    },
  });
  return new IdbStore(db, () => gone);
}

class IdbStore implements RunStore {
  readonly kind = 'indexeddb';
  readonly warning = null;

  constructor(
    private readonly db: Database,
    private readonly gone: () => CodedError | null,
  ) {}

  append(runId: string, event: RunEvent, blobs: Blobs = {}, given?: RunRecord['given']) {
    return this.put(runId, [event], blobs, given);
  }

  async insert(runId: string, events: readonly RunEvent[], blobs: Blobs = {}) {
    await this.put(runId, events, blobs);
  }

  private async put(runId: string, events: readonly RunEvent[], blobs: Blobs, given?: RunRecord['given']) {
    await checkBlobs(blobs);
    const prepared = events.map(prepare);
    await this.write(async (tx) => {
      let record = await tx.objectStore('runs').get(runId);
      let added = 0;
      for (const [hash, bytes] of Object.entries(blobs)) added += await putBlob(tx, runId, hash, bytes);
      const puts: Promise<unknown>[] = [];
      for (const { event, line } of prepared) {
        record = recordAfter(record, runId, event, line.length + 1 + added, given);
        added = 0;
        puts.push(tx.objectStore('events').add(line, [runId, event.n]));
      }
      if (record) puts.push(tx.objectStore('runs').put(record));
      await Promise.all(puts);
    });
  }

  async *lines(runId: string, from = 0, to = Infinity) {
    for (let n = from; n < to;) {
      const range = IDBKeyRange.bound([runId, n], [runId, Math.min(to, n + PORTION)], false, true);
      const portion = await this.read((db) => db.getAll('events', range));
      yield* portion;
      n += PORTION;
      if (portion.length < PORTION) return;
    }
  }

  runs() {
    return this.read((db) => db.getAll('runs'));
  }

  async run(runId: string): Promise<RunRecord> {
    const record = await this.read((db) => db.get('runs', runId));
    if (!record) throw new CodedError('storage/missing', `no run ${runId}`, 'it may have been deleted in another tab');
    return record;
  }

  async blob(hash: string) {
    const record = await this.read((db) => db.get('blobs', hash));
    if (!record) return null;
    const bytes = new Uint8Array(record.bytes);
    for (let index = 0; index < record.chunks; index++) {
      const chunk = await this.read((db) => db.get('chunks', [hash, index]));
      if (!chunk) return null; // deleted in between
      bytes.set(chunk, index * CHUNK);
    }
    return checkBlob(hash, bytes);
  }

  blobsOf(runId: string) {
    return this.read((db) => db.getAllKeysFromIndex('blobs', 'runs', runId));
  }

  async remove(runId: string) {
    await this.write(async (tx) => {
      const blobs = tx.objectStore('blobs');
      for (const record of await blobs.index('runs').getAll(runId)) {
        const runs = record.runs.filter((id) => id !== runId);
        if (runs.length > 0) await blobs.put({ ...record, runs });
        else {
          await blobs.delete(record.hash);
          await tx.objectStore('chunks').delete(IDBKeyRange.bound([record.hash], [record.hash, []]));
        }
      }
      await tx.objectStore('events').delete(IDBKeyRange.bound([runId], [runId, []]));
      await tx.objectStore('runs').delete(runId);
    });
  }

  close() {
    this.db.close();
  }

  private async write(work: (tx: WriteTransaction) => Promise<void>) {
    try {
      await write(this.db, [...ALL], work);
    } catch (error) {
      throw this.gone() ?? error;
    }
  }

  private async read<T>(work: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await work(this.db);
    } catch (error) {
      throw this.gone() ?? storageError(error);
    }
  }
}

/** Bytes that it took; none when another run brought the same blob before. */
async function putBlob(tx: WriteTransaction, runId: string, hash: string, bytes: Uint8Array): Promise<number> {
  const blobs = tx.objectStore('blobs');
  const known = await blobs.get(hash);
  if (known) {
    if (!known.runs.includes(runId)) await blobs.put({ ...known, runs: [...known.runs, runId] });
    return 0;
  }
  const chunks = Math.ceil(bytes.length / CHUNK);
  const puts: Promise<unknown>[] = [blobs.put({ hash, bytes: bytes.length, chunks, runs: [runId] })];
  for (let index = 0; index < chunks; index++) {
    // A copy, or the view's whole buffer would be stored.
    puts.push(tx.objectStore('chunks').put(bytes.slice(index * CHUNK, (index + 1) * CHUNK), [hash, index]));
  }
  await Promise.all(puts);
  return bytes.length;
}
