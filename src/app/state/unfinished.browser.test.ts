// With a browser's own storages and locks.
import { afterEach, expect, test, vi } from 'vitest';
import { takeRunLock } from '../../log/runLock.ts';
import { forget, inThisTab, lastVisit, note } from './unfinished.ts';

afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
  localStorage.clear();
});

test('a run is remembered for this tab and for a later visit, until it is over', async () => {
  note('a', 'running');
  expect([inThisTab(), await lastVisit()]).toEqual(Array(2).fill({ id: 'a', running: true }));
  forget('another');
  expect(inThisTab()).not.toBeNull();
  note('a', 'paused');
  expect(inThisTab()).toEqual({ id: 'a', running: false });
  note('a', 'done');
  expect([inThisTab(), await lastVisit()]).toEqual([null, null]);
});

test('while a tab has a run, no visit is offered it', async () => {
  note('a', 'running');
  const release = await takeRunLock('snake');
  expect(await lastVisit()).toBeNull();
  setTimeout(release, 200); // as a tab that is being closed does
  await expect.poll(lastVisit, { timeout: 5000 }).toEqual({ id: 'a', running: true });
});

test('a storage that is full says so, and the other one still remembers', async () => {
  const set = Storage.prototype.setItem;
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(function (this: Storage, key, value) {
    if (this === sessionStorage) throw new DOMException('full', 'QuotaExceededError');
    set.call(this, key, value);
  });
  expect(() => note('a', 'running')).toThrow(
    expect.objectContaining({ code: 'storage/unfinished', hint: expect.stringContaining('under Runs') }),
  );
  expect([inThisTab(), await lastVisit()]).toEqual([null, { id: 'a', running: true }]);
});

test('what is not ours is nothing', () => {
  sessionStorage.setItem('s3:unfinished', '{"id":');
  expect(inThisTab()).toBeNull();
});
