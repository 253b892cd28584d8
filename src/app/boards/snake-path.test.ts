import { expect, it } from 'vitest';
import { snakePath, type Point } from './snake-path.ts';

const points = (text: string): Point[] => text.split(' ').map((cell) => [Number(cell[0]), Number(cell[1])]);

it('orders a body from head to tail', () => {
  const path = points('11 12 13 23 33');
  expect(snakePath(path[0]!, [path[3]!, path[1]!, path[4]!, path[2]!], path[4]!, [])).toEqual(path);
});

it('where several orders fit, takes the one that follows from the board before', () => {
  // A filled 2 × 3 block: from 11 to 21 there are two ways round.
  const before = points('12 13 23 22 21 31');
  const after = points('11 12 13 23 22 21');
  expect(snakePath(after[0]!, after.slice(1), after.at(-1)!, before)).toEqual(after);
});

it('draws the head alone where no order fits', () => {
  expect(snakePath([1, 1], [[5, 5]], null, [])).toEqual([[1, 1]]);
});
