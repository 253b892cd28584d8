import { expect, it } from 'vitest';
import { warmupCosine } from './schedule.ts';

it('rises in a line, falls as a cosine, ends at its floor', () => {
  const schedule = { peak: 2, warmup: 4, total: 14, floor: 0.1 };
  const rates = Array.from({ length: 20 }, (_, step) => warmupCosine(schedule, step));
  expect(rates.slice(0, 5)).toEqual([0.5, 1, 1.5, 2, 2]);
  expect(rates[9]).toBeCloseTo(1.1, 12);
  expect(rates[14]).toBeCloseTo(0.2, 12);
  expect(rates[19]).toBeCloseTo(0.2, 12);
  for (let i = 5; i < 14; i++) expect(rates[i]!).toBeLessThan(rates[i - 1]!);
});

it('without warm-up and with floor 1 it is constant', () => {
  const schedule = { peak: 3, warmup: 0, total: 5, floor: 1 };
  expect([0, 3, 9].map((step) => warmupCosine(schedule, step))).toEqual([3, 3, 3]);
});
