// Whether the browser will keep what is stored. Knows no store.

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
