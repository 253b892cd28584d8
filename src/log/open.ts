// The store this browser can offer: IndexedDB, or memory with a warning. And whether it will be kept.
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

export interface Keeping {
  /** Whether the browser promises not to clear the store under pressure; null: it cannot be asked (plain HTTP). */
  persistent: boolean | null;
  /** Bytes in use by this page's origin, and what the browser would allow; null: unknown. */
  used: number | null;
  room: number | null;
}

/** Asks the browser to keep the store; some ask the person, some decide alone. Only a page may ask, a worker sees. */
export async function askToKeep(): Promise<Keeping> {
  const storage = (globalThis.navigator as Navigator | undefined)?.storage;
  if (!storage) return { persistent: null, used: null, room: null };
  const { persist } = storage as Partial<StorageManager>;
  const persistent = await (persist ? persist.call(storage) : storage.persisted()).catch(() => false);
  const { usage = null, quota = null } = await storage.estimate().catch((): StorageEstimate => ({}));
  return { persistent, used: usage, room: quota };
}
