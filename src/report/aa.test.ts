import { expect, test } from 'vitest';
import { stream } from '../../games/rng.ts';
import { aaRow, PAIRS, powerRow, SHAPES } from './aa.ts';
import { average, estimate, type Observation } from './interval.ts';
import { verdictKind } from './verdict.ts';

// `s3 aa` runs 2,000; here 400 against the bar less three standard errors.
const slack = 3 * Math.sqrt((0.05 * 0.95) / 400);

test.each(SHAPES.map((shape) => [shape.name, shape] as const))('A/A, %s scores: the interval covers 0', (_, shape) => {
  const row = aaRow(shape, 400);
  expect(row.coverage).toBeGreaterThan(shape.bar[0] - slack);
  expect(row.pBelow).toBeLessThan(0.05 + slack);
  expect(row.coverage + row.helps + row.hurts).toBeCloseTo(1, 12);
  expect(aaRow(shape, 20)).toEqual(aaRow(shape, 20));
});

test('power grows with the effect', () => {
  const found = [0.25, 0.75, 1.5].map((effect) => powerRow(SHAPES[0]!, effect, 100).found);
  expect(found[0]).toBeLessThan(found[1]!);
  expect(found[2]).toBeGreaterThan(0.97);
});

// Why compare.ts pairs replicate with replicate: the mean of frozen's four is less skewed than the arm's one.
test('pairing with the mean of four replicates would find too much on one side', () => {
  const skewed = SHAPES.find((shape) => shape.name === 'skewed')!;
  const counts = { one: { helps: 0, hurts: 0, 'cannot-tell': 0 }, four: { helps: 0, hurts: 0, 'cannot-tell': 0 } };
  for (let replicate = 0; replicate < 1500; replicate++) {
    const rng = stream('four replicates', replicate);
    const differences = Array.from({ length: PAIRS }, () => {
      const level = skewed.level(rng);
      const frozen = Array.from({ length: 4 }, () => skewed.draw(level, rng));
      const score = skewed.draw(level, rng);
      return { one: score - frozen[0]!, four: score - average(frozen) };
    });
    for (const way of ['one', 'four'] as const) {
      const observations = differences.map((d, i): Observation => ({ value: d[way], run: 1, cluster: String(i) }));
      counts[way][verdictKind(estimate(observations))] += 1;
    }
  }
  // 2.5 % on each side is right; the standard error is 0.4 %.
  expect(counts.one.hurts / 1500).toBeLessThan(0.037);
  expect(counts.four.hurts / 1500).toBeGreaterThan(0.04);
});
