// What a run starts from instead of nothing: an adapter or a memory, kept with run.opened so that the run can be gone on
// with wherever they came from. Knows no store.
import { CodedError } from '../errors.ts';
import { hashText } from '../hash.ts';
import type { JsonValue, RunEvent } from '../log/events.ts';

export interface StartFrom {
  /** PEFT's files, and the hash of the tensors' file. */
  adapter?: { hash: string; config: string; tensors: Uint8Array };
  memory?: string;
}

/** As run.opened says it: hashes, whose blobs are stored with it. */
export const describeFrom = (from: StartFrom): JsonValue => ({
  ...(from.adapter ? { adapter: from.adapter.hash, config: hashText(from.adapter.config) } : {}),
  ...(from.memory === undefined ? {} : { memory: hashText(from.memory) }),
});

/** The run's own copy of it. */
export function blobsOf(from: StartFrom | null): Record<string, Uint8Array> {
  if (!from) return {};
  return {
    ...(from.adapter
      ? {
          [from.adapter.hash]: from.adapter.tensors,
          [hashText(from.adapter.config)]: encode(from.adapter.config),
        }
      : {}),
    ...(from.memory === undefined ? {} : { [hashText(from.memory)]: encode(from.memory) }),
  };
}

/** What a run that is gone on with started from; null: from nothing. Errors: log/missing-blob. */
export async function beginningOf(
  past: readonly RunEvent[],
  readBlob: (hash: string) => Promise<Uint8Array | null>,
): Promise<StartFrom | null> {
  const [opened] = past;
  if (opened?.type !== 'run.opened' || typeof opened.from !== 'object' || opened.from === null) return null;
  const named = opened.from as { adapter?: string; config?: string; memory?: string };
  const read = async (hash: string) => {
    const bytes = await readBlob(hash);
    if (!bytes) throw new CodedError('log/missing-blob', `blob ${hash} is missing`, 'export the run with its blobs');
    return bytes;
  };
  const from: StartFrom = {};
  if (named.memory !== undefined) from.memory = new TextDecoder().decode(await read(named.memory));
  if (named.adapter !== undefined) {
    if (named.config === undefined) throw new CodedError('log/missing-blob', 'the adapter’s config is not in the log');
    const config = new TextDecoder().decode(await read(named.config));
    from.adapter = { hash: named.adapter, config, tensors: await read(named.adapter) };
  }
  return from;
}

const encode = (text: string) => new TextEncoder().encode(text);
