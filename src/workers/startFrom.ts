// Finds what a new run starts from, an adapter or a memory, in the stored run that made it.
import { CodedError } from '../errors.ts';
import type { StartFrom } from '../gym/startFrom.ts';
import { hashText } from '../hash.ts';
import { eventsOf, type RunStore } from '../log/store.ts';

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
