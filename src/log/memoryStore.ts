// Runs in memory, for a browser without a database (private mode, plain file). Says that they will not last.
import { CodedError, type ErrorValue } from '../errors.ts';
import type { RunEvent } from './events.ts';
import { checkBlobs, prepare, recordAfter, type Blobs, type RunRecord, type RunStore } from './store.ts';

interface Kept {
  record: RunRecord | undefined;
  lines: string[];
}

export function memoryStore(warning: ErrorValue | null = null): RunStore {
  const kept = new Map<string, Kept>();
  const bytesOf = new Map<string, { bytes: Uint8Array; runs: Set<string> }>();

  const put = async (runId: string, events: readonly RunEvent[], blobs: Blobs = {}, given?: RunRecord['given']) => {
    await checkBlobs(blobs);
    const before = kept.get(runId);
    const run: Kept = { record: before?.record, lines: before?.lines ?? [] };
    const fresh = Object.entries(blobs).filter(([hash]) => !bytesOf.has(hash));
    let added = fresh.reduce((sum, [, bytes]) => sum + bytes.length, 0);
    const prepared = events.map(prepare);
    for (const { event, line } of prepared) {
      run.record = recordAfter(run.record, runId, event, line.length + 1 + added, given);
      added = 0;
    }
    run.lines.push(...prepared.map(({ line }) => line));
    kept.set(runId, run);
    for (const [hash, bytes] of fresh) bytesOf.set(hash, { bytes: bytes.slice(), runs: new Set() });
    for (const hash of Object.keys(blobs)) bytesOf.get(hash)!.runs.add(runId);
  };

  return {
    kind: 'memory',
    warning,
    append: (runId, event, blobs, given) => put(runId, [event], blobs, given),
    insert: (runId, events, blobs) => put(runId, events, blobs),
    async *lines(runId, from = 0, to = Infinity) {
      yield* kept.get(runId)?.lines.slice(from, to) ?? [];
    },
    runs: async () => [...kept.values()].flatMap(({ record }) => record ?? []),
    async run(runId) {
      const record = kept.get(runId)?.record;
      if (!record) throw new CodedError('storage/missing', `no run ${runId}`, 'it was deleted');
      return record;
    },
    blob: async (hash) => bytesOf.get(hash)?.bytes.slice() ?? null,
    blobsOf: async (runId) => [...bytesOf].filter(([, { runs }]) => runs.has(runId)).map(([hash]) => hash),
    async remove(runId) {
      kept.delete(runId);
      for (const [hash, { runs }] of bytesOf) if (runs.delete(runId) && runs.size === 0) bytesOf.delete(hash);
    },
    close: () => undefined,
  };
}
