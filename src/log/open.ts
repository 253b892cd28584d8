// The store this browser can offer: IndexedDB, or memory with a warning.
import { CodedError, toErrorValue } from '../errors.ts';
import type { OpenOptions } from './database.ts';
import { openIdbStore } from './idbStore.ts';
import { memoryStore } from './memoryStore.ts';
import type { RunStore } from './store.ts';

/** Errors: storage/blocked, storage/newer: the runs are there, but not for this tab now. */
export async function openStore(options: OpenOptions = {}): Promise<RunStore> {
  try {
    return await openIdbStore(options);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'storage/unavailable') throw error;
    return memoryStore(toErrorValue(error, 'storage/unavailable'));
  }
}
