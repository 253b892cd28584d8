import { expect, test } from 'vitest';
import { bareName, named } from './names.ts';
import { findGame } from './registry.ts';

test('a game is found by its id and by its bare name, whatever its version is', () => {
  const games = [{ id: 'go-v3' }, { id: 'tic-tac-v1' }];
  expect(['go', 'GO-v3', 'tic-tac', 'go-v1', 'v3', ''].map((name) => named(games, name)?.id)).toEqual([
    ...['go-v3', 'go-v3', 'tic-tac-v1'],
    ...[undefined, undefined, undefined],
  ]);
  expect(findGame('snake')).toBe(findGame('snake-v1'));
});

test('a bare name is the id without its version', () => {
  expect(['snake-v1', 'tic-tac-v12', 'snake', 'v2-v2'].map(bareName)).toEqual(['snake', 'tic-tac', 'snake', 'v2']);
});
