// Which kernels were chosen for a GPU, in the page's database; where there is none, for this worker alone. What cannot be
// kept is timed again: nothing here fails. Knows no kernel.
import { type Tuning, tuningInMemory } from '../engine/webgpu/tuning.ts';
import type { Database, write } from '../log/database.ts';

const memory = tuningInMemory();
const named = (key: string) => `kernels|${key}`;

async function within<T>(work: (db: Database, writing: typeof write) => Promise<T>): Promise<T | null> {
  try {
    const { openDatabase, write } = await import('../log/database.ts'); // most pages never need it
    const db = await openDatabase();
    try {
      return await work(db, write);
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

export const tuned: Tuning = {
  async get(key) {
    const known = (await memory.get(key)) ?? (await within((db) => db.get('meta', named(key))));
    return typeof known === 'string' ? known : null;
  },
  async set(key, choice) {
    await memory.set(key, choice);
    await within((db, writing) => writing(db, ['meta'], (tx) => tx.objectStore('meta').put(choice, named(key))));
  },
};
