// What a run starts from instead of nothing: an adapter or a memory that another stored run made.
import { CodedError } from '../errors.ts';
import type { StartFrom } from '../gym/cycle.ts';
import { hashText } from '../log/chain.ts';
import type { RunEvent } from '../log/events.ts';
import { eventsOf, type Blobs, type RunStore } from '../log/store.ts';

export interface From {
  /** Hashes, as the log of run `runId` names them. */
  adapter?: string;
  memory?: string;
  runId: string;
}

/** Errors: log/missing-blob. */
export async function findBeginning(store: RunStore, { runId, adapter, memory }: From): Promise<StartFrom> {
  const from: StartFrom = {};
  for await (const event of eventsOf(store, runId)) {
    if (event.type === 'adapter.saved' && event.hash === adapter) {
      const tensors = await store.blob(event.hash);
      if (tensors) from.adapter = { hash: event.hash, config: event.config, tensors };
    }
    if (event.type === 'consolidation' && event.memory !== null && hashText(event.memory) === memory) {
      from.memory = event.memory;
    }
  }
  if ((adapter !== undefined && !from.adapter) || (memory !== undefined && from.memory === undefined)) {
    throw new CodedError('log/missing-blob', `run ${runId} no longer holds what to start from`, 'start from nothing');
  }
  return from;
}

/** The run's own copy of it, stored with run.opened: it can be gone on with when the other run has been deleted. */
export function blobsOf(from: StartFrom | null): Blobs {
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
export async function beginningOf(store: RunStore, past: readonly RunEvent[]): Promise<StartFrom | null> {
  const [opened] = past;
  if (opened?.type !== 'run.opened' || typeof opened.from !== 'object' || opened.from === null) return null;
  const named = opened.from as { adapter?: string; config?: string; memory?: string };
  const read = async (hash: string) => {
    const bytes = await store.blob(hash);
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
