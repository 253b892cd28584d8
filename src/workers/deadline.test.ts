import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deadline } from './deadline.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('is over when its time is over, or never when called off', () => {
  const late = vi.fn();
  const off = deadline(2000, late);
  vi.advanceTimersByTime(1999);
  expect(late).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(late).toHaveBeenCalledOnce();
  off();
  const other = deadline(2000, late);
  other();
  vi.advanceTimersByTime(5000);
  expect(late).toHaveBeenCalledOnce();
});

test('a machine that slept starts it again', () => {
  const late = vi.fn();
  const now = vi.spyOn(performance, 'now');
  now.mockReturnValue(0);
  deadline(2000, late);
  now.mockReturnValue(3_600_000);
  vi.advanceTimersByTime(2000);
  expect(late).not.toHaveBeenCalled();
  now.mockReturnValue(3_602_000);
  vi.advanceTimersByTime(2000);
  expect(late).toHaveBeenCalledOnce();
  now.mockRestore();
});
