// The exact probabilities against enumeration of whole layouts, and the expert against the best possible play.
import { describe, expect, test } from 'vitest';
import { stream } from '../rng.ts';
import { configs } from './config.ts';
import { optimalWins, winsOf } from './exhaustive.ts';
import { open } from './field.ts';
import game from './index.ts';
import { posterior } from './probabilities.ts';

// Published figures (4x4: by an independent solver).
const boards = [
  [2, 2, 1, { wins: 1, of: 4 }],
  [3, 3, 1, { wins: 8, of: 9 }],
  [3, 3, 2, { wins: 24, of: 36 }],
  [4, 4, 4, { wins: 961, of: 1820 }],
] as const;

function expertWins(rows: number, cols: number, mines: number) {
  const config = { ...configs.pocket.strict, rows, cols };
  return winsOf({ rows, cols }, mines, (shown) => {
    const state = { mines: Array.from({ length: mines }, () => -1), shown, lives: 0, given: 0 }; // a number, no layout
    const [row, col] = game.expert(config, state, stream(0, 'expert')).match(/\d+/g)!.map(Number);
    return row! * cols + col!;
  });
}

describe('best play without a safe first click', () => {
  test.each(boards)('%sx%s, mines: %s', { timeout: 120_000 }, (rows, cols, mines, { wins, of }) => {
    expect(optimalWins({ rows, cols }, mines)).toEqual({ wins, of });
    const expert = expertWins(rows, cols, mines);
    expect(expert).toBeLessThanOrEqual(wins);
    expect(expert).toBeGreaterThanOrEqual(0.93 * wins);
  });
});

describe('probabilities', () => {
  test('equal counting whole layouts, flags and burst mines included', () => {
    const size = { rows: 3, cols: 5 };
    const rng = stream(3, 'layouts');
    for (let round = 0; round < 60; round++) {
      const mines = rng.shuffle(Array.from({ length: 15 }, (_, cell) => cell)).slice(0, 4);
      let shown = '?'.repeat(15);
      for (let n = 0; n < 3; n++) {
        const cell = rng.int(15);
        if (mines.includes(cell)) shown = shown.slice(0, cell) + rng.pick(['X', 'F']) + shown.slice(cell + 1);
        else if (shown[cell] === '?') shown = open(size, new Set(mines), shown, cell);
      }
      const agree = layouts(15, 4).filter((layout) => agrees(size, shown, layout));
      const known = posterior(size, shown, 4);
      expect(known.layouts).toBe(agree.length);
      for (const [cell, probability] of known.mine) {
        expect(probability).toBeCloseTo(agree.filter((layout) => layout.has(cell)).length / agree.length, 12);
      }
      expect(agrees(size, shown, new Set(known.sample(rng)))).toBe(true);
    }
  });

  test('samples are uniform over the layouts', () => {
    const shown = '1????????'; // 3x3, two mines: three places for one, five for the other
    const counts = new Map<string, number>();
    const known = posterior({ rows: 3, cols: 3 }, shown, 2);
    for (let i = 0; i < 3000; i++) {
      const key = known.sample(stream(i, 's')).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(15);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60);
  });
});

function layouts(cells: number, mines: number): Set<number>[] {
  if (mines === 0) return [new Set()];
  if (cells < mines) return [];
  const last = cells - 1;
  return [...layouts(last, mines), ...layouts(last, mines - 1).map((set) => new Set([...set, last]))];
}

function agrees(size: { rows: number; cols: number }, shown: string, layout: Set<number>): boolean {
  return [...shown].every((mark, cell) => {
    if (mark === 'X') return layout.has(cell);
    if (mark === '?' || mark === 'F') return true;
    return !layout.has(cell) && open(size, layout, '?'.repeat(shown.length), cell)[cell] === mark;
  });
}
