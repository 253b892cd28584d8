// A stored run out as one file, and such a file in as a stored run. Trusts no file (jsonl.ts checks every line).
import { CodedError } from '../errors.ts';
import type { RunEvent } from './events.ts';
import { blobLines, readLog } from './jsonl.ts';
import { piecesOf, type TextSource } from './lines.ts';
import { newRunId, type RunStore } from './store.ts';

const PORTION = 4 << 20;
/** Bytes of one file that are taken in, unpacked, blobs and lines together. */
const LARGEST_FILE = 2 ** 31;

/** JSONL as a Blob, made in portions; with `blobs`, adapters and memories follow as lines that the chain leaves out. */
export async function exportRun(store: RunStore, runId: string, options: { blobs?: boolean } = {}): Promise<Blob> {
  await store.run(runId);
  const portions: Blob[] = [];
  let lines: string[] = [];
  let length = 0;
  const seal = () => {
    portions.push(new Blob(lines));
    lines = [];
    length = 0;
  };
  const add = (line: string) => {
    lines.push(line, '\n');
    length += line.length;
    if (length > PORTION) seal();
  };
  for await (const line of store.lines(runId)) add(line);
  for (const hash of options.blobs ? await store.blobsOf(runId) : []) {
    const bytes = await store.blob(hash);
    if (bytes) for (const line of blobLines(hash, bytes)) add(line);
  }
  seal();
  return new Blob(portions, { type: 'application/jsonl' });
}

/** Checks the whole file, then stores it in one transaction, under a new id. Errors: import/…, storage/… */
export async function importRun(store: RunStore, source: TextSource, runId = newRunId()): Promise<string> {
  const events: RunEvent[] = [];
  const blobs: Record<string, Uint8Array> = {};
  for await (const item of readLog(bounded(source))) {
    if (item.kind === 'event') events.push(item.event);
    else blobs[item.hash] = item.bytes;
  }
  await store.insert(runId, events, blobs);
  return runId;
}

/** Counted as it comes, and unpacked: a small file may hold a great deal. */
async function* bounded(source: TextSource): AsyncGenerator<string | Uint8Array> {
  let size = 0;
  for await (const piece of piecesOf(source)) {
    size += piece.length;
    if (size > LARGEST_FILE) throw new CodedError('import/too-large', `the file is over ${LARGEST_FILE} bytes`);
    yield piece;
  }
}
