import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Throttle } from './throttle.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('at most thirty a second, of each kind the latest', () => {
  const sent: { kind: string; n: number }[] = [];
  const throttle = new Throttle<{ kind: string; n: number }>((item) => sent.push(item));
  for (let n = 0; n < 1000; n++) {
    throttle.push({ kind: n % 3 === 0 ? 'train' : 'step', n });
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(100);
  expect(sent.length).toBeLessThan(34);
  expect(sent.length).toBeGreaterThan(25);
  expect(sent.filter(({ kind }) => kind === 'step').at(-1)).toEqual({ kind: 'step', n: 998 });
  expect(sent.filter(({ kind }) => kind === 'train').at(-1)).toEqual({ kind: 'train', n: 999 });
});

test('what waits can be sent at once', () => {
  const sent: string[] = [];
  const throttle = new Throttle<{ kind: string }>(({ kind }) => sent.push(kind));
  for (const kind of ['a', 'b', 'c', 'b']) throttle.push({ kind });
  expect(sent).toEqual(['a']);
  throttle.flush();
  expect(sent).toEqual(['a', 'b', 'c']);
});
