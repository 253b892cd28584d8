// A disk that is really full. Chromium remembers for half a minute how much room there was, so the origin's data are
// cleared and the quota set before anything is written.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cdp } from 'vitest/browser';
import { openIdbStore } from '../../src/log/idbStore.ts';
import { newRunId } from '../../src/log/store.ts';
import { smallLog } from './log.ts';
import { all, blobOf } from './storeSuite.ts';

const setQuota = (quotaSize?: number) =>
  cdp().send('Storage.overrideQuotaForOrigin', { origin: location.origin, ...(quotaSize ? { quotaSize } : {}) });
beforeAll(async () => {
  await cdp().send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
  await setQuota(4_000_000);
});
afterAll(() => setQuota());

test('a full disk fails at the end of the transaction; nothing is lost and the run goes on later', async () => {
  const store = await openIdbStore({ name: `quota-${Date.now()}` });
  const log = smallLog(6);
  const id = newRunId();
  const [small, large] = [blobOf(1, 500_000), blobOf(2, 8_000_000)];
  await store.append(id, log[0]!, { [small.hash]: small.bytes });
  await expect(store.append(id, log[1]!, { [large.hash]: large.bytes })).rejects.toMatchObject({
    code: 'storage/quota',
    hint: expect.stringContaining('everything stored before is kept'),
  });
  expect(await all(store, id)).toEqual(log.slice(0, 1));
  expect(await store.blob(large.hash)).toBeNull();
  expect((await store.blob(small.hash))?.length).toBe(500_000);
  await store.append(id, log[1]!);
  await setQuota(100_000_000);
  await store.append(id, log[2]!, { [large.hash]: large.bytes });
  expect((await store.blob(large.hash))?.length).toBe(8_000_000);
  expect((await store.run(id)).events).toBe(3);
  store.close();
});
