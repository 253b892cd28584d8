import 'fake-indexeddb/auto';
import { expect, test } from 'vitest';
import { storeSuite } from '../../test/faults/storeSuite.ts';
import { openIdbStore } from './idbStore.ts';
import { memoryStore } from './memoryStore.ts';
import { openStore } from './open.ts';

let count = 0;
storeSuite('memory', async () => memoryStore());
storeSuite('fake-indexeddb', () => openIdbStore({ name: `test-${count++}` }));

test('without a database runs are kept in memory, and it says so', async () => {
  const kept = globalThis.indexedDB;
  try {
    Object.defineProperty(globalThis, 'indexedDB', { value: undefined, configurable: true });
    const store = await openStore();
    expect(store).toMatchObject({ kind: 'memory', warning: { code: 'storage/unavailable' } });
  } finally {
    Object.defineProperty(globalThis, 'indexedDB', { value: kept, configurable: true });
  }
});
