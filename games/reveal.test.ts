import { expect, test } from 'vitest';
import { walk, type Cell } from './chess/family.ts';
import type { ChessState } from './chess/state.ts';
import { reset } from './episode.ts';
import { findGame } from './registry.ts';

const begin = (name: string, seed: number) => {
  const game = findGame(name)!;
  const { config, state } = reset(game, { preset: 'pocket', phase: 'strict', seed, role: 'strict' });
  return { game, config, state, text: game.reveal!(config, state) };
};

test.each(['trust', 'minesweeper', 'tetris', 'pvz', 'chess'])('%s says what was hidden in one line', (name) => {
  const { text } = begin(name, 1);
  expect(text).toMatch(/^[^\n]{10,300}\.$/);
});

test('chess names a rule that makes the whole path', () => {
  for (let seed = 0; seed < 20; seed++) {
    const { config, state, text } = begin('chess', seed);
    const rules = [...text.matchAll(/[A-Z] (-?\d,-?\d(?: then -?\d,-?\d)?)/g)].map(([, rule]) =>
      rule!.split(' then ').map((beat) => beat.split(',').map(Number) as Cell),
    );
    const { paths } = state as ChessState;
    const board = config as unknown as { rows: number; cols: number };
    expect(rules).toHaveLength(paths.length);
    paths.forEach((path, i) => expect(walk(board, path[0]!, rules[i]!, path.length)).toEqual(path));
  }
});

test('trust names the opponent of the instance', () => {
  const names = new Set(Array.from({ length: 40 }, (_, seed) => begin('trust', seed).text));
  expect(names.size).toBeGreaterThan(4);
  expect([...names]).toContain('The other was a copycat.');
});
