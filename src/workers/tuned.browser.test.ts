import { expect, it } from 'vitest';
import { openDatabase, write } from '../log/database.ts';
import { tuned } from './tuned.ts';

it('keeps a choice of kernels in the page’s database, and finds what an earlier page kept', async () => {
  const db = await openDatabase();
  await write(db, ['meta'], (tx) => tx.objectStore('meta').put('tiles', 'kernels|earlier'));
  expect(await tuned.get('earlier')).toBe('tiles');
  expect(await tuned.get('unknown')).toBe(null);
  await tuned.set('now', 'registers');
  expect(await db.get('meta', 'kernels|now')).toBe('registers');
  expect(await tuned.get('now')).toBe('registers');
  await Promise.all(['tiles', 'registers'].map((choice) => tuned.set('two tabs', choice)));
  expect(['tiles', 'registers']).toContain(await db.get('meta', 'kernels|two tabs'));
  await write(db, ['meta'], (tx) => tx.objectStore('meta').clear());
  db.close();
});
