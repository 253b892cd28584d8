import { expect, test } from 'vitest';
import { BOUNDARIES, CodedError } from '../../errors.ts';
import { Failures } from './failures.svelte.ts';

test('what fails becomes a card with a code and a hint, its own where it brought them', async () => {
  const failures = new Failures();
  let told = 0;
  const fails = () => Promise.reject(new Error('no such file'));
  expect(await failures.guard('worker/chart', fails, () => told++)).toBeNull();
  await failures.guard('worker/chart', fails);
  await failures.guard('worker/chart', () => {
    throw new CodedError('storage/full', 'no room', 'delete runs');
  });
  expect(failures.list.map(({ error: { code, hint } }) => [code, hint])).toEqual([
    ['worker/chart', expect.stringMatching(/reload the page/)],
    ['storage/full', 'delete runs'],
  ]);
  expect(told).toBe(1);
});

test.each(BOUNDARIES)('an error of %s that brings no hint is given one', (boundary) => {
  const failures = new Failures();
  failures.add({ code: `${boundary}/x`, message: 'it failed', hint: '' });
  expect(failures.list[0]!.error.hint).not.toBe('');
});

test('it is busy until the last of several requests is over', async () => {
  const failures = new Failures();
  const ends: (() => void)[] = [];
  const slow = () => new Promise<void>((resolve) => ends.push(resolve));
  const [first, second] = [failures.guard('storage/runs', slow), failures.guard('model/list', slow)];
  ends[0]!();
  await first;
  expect(failures.busy).toBe(true);
  ends[1]!();
  await second;
  expect(failures.busy).toBe(false);
});
