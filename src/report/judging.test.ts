import { describe, expect, test } from 'vitest';
import { judge, nmae } from './judging.ts';

const steps = (pairs: [number | null, number][]) => pairs.map(([s, r], i) => ({ s, r, episode: String(i % 2) }));

describe('self-judging by hand', () => {
  const found = judge(
    steps([
      [1, 1],
      [1, 0],
      [0, 1],
      [-1, -1],
      [null, 1],
      [5, 3],
      [2, 0],
      [0, 0],
    ]),
    [-1, 3],
  );

  test('counts and shares', () => {
    expect(found).toMatchObject({ n: 7, unparsed: 1, distinct: 5, constant: false });
    // Right in sign: (1,1), (-1,-1), (5,3), (0,0).
    expect(found.agreement!.mean).toBeCloseTo(4 / 7, 12);
    expect(found.agreement).toMatchObject({ n: 7, units: 2, unit: 'clusters' });
    expect(found.over).toBeCloseTo(2 / 7, 12);
    expect(found.under).toBeCloseTo(1 / 7, 12);
    expect(found.positive).toBeCloseTo(4 / 7, 12);
    expect(found.agreement!.mean + found.over! + found.under!).toBeCloseTo(1, 12);
  });

  test('NMAE: 5 is clipped to 3, so errors are 0 1 1 0 0 2 0 over a range of 4', () => {
    expect(found.nmae).toBeCloseTo(4 / 4 / 7, 12);
    // Rewards seen run from -1 to 3: the same here.
    expect(found.nmaeObserved).toBeCloseTo(4 / 4 / 7, 12);
    expect(nmae([{ s: 1, r: 1 }], [2, 2])).toBeNull();
    expect(nmae([], [0, 1])).toBeNull();
    // A penalty beyond the published bounds is clipped, too.
    expect(nmae([{ s: -1, r: -10 }], [-1, 3])).toBe(0);
  });

  test('cells count every parsed step once', () => {
    expect(found.cells.reduce((sum, cell) => sum + cell.n, 0)).toBe(7);
    expect(found.cells[0]).toEqual({ expected: -1, got: -1, n: 1 });
  });
});

test('constant scores are flagged; no steps give nulls', () => {
  expect(
    judge(
      steps([
        [1, 0],
        [1, 1],
      ]),
      [0, 1],
    ),
  ).toMatchObject({ constant: true, distinct: 1, sd: 0, positive: 1 });
  const none = judge(steps([[null, 1]]), [0, 1]);
  expect(none).toMatchObject({
    n: 0,
    unparsed: 1,
    agreement: null,
    nmae: null,
    over: null,
    constant: false,
    cells: [],
  });
});

test('many distinct values go to eleven bins', () => {
  const many = judge(
    Array.from({ length: 100 }, (_, i) => ({ s: i / 10, r: i % 3, episode: '0' })),
    [0, 2],
  );
  expect(new Set(many.cells.map((cell) => cell.expected)).size).toBe(11);
  expect(many.cells.reduce((sum, cell) => sum + cell.n, 0)).toBe(100);
});
