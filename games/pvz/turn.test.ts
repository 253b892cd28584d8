// The turn order and the spawns, rule by rule.
import { describe, expect, test } from 'vitest';
import { stream } from '../rng.ts';
import { configs } from './config.ts';
import { arriving, drawSpawns, hpOf, spawnCount } from './spawn.ts';
import { emptyField, placed, playTurn, type Field, type Zombie } from './turn.ts';

const pocket = configs.pocket.strict;

/** A field with plants as `W 0 1` and zombies as [kind, row, col, hp]. */
function field(
  plants: string[],
  zombies: [Zombie['kind'], number, number, number][],
  sun = 0,
  rows = 3,
  cols = 6,
): Field {
  const config = { ...pocket, rows, cols };
  let at = emptyField(config, 10_000);
  for (const text of plants) {
    const [kind, row, col] = text.split(' ');
    at = placed(config, at, kind as 'X', Number(row), Number(col));
  }
  return { ...at, sun, zombies: zombies.map(([kind, row, col, hp]) => ({ kind, row, col, hp })) };
}
const turn = (at: Field, rows = 3, cols = 6) => playTurn({ ...pocket, rows, cols }, at, []);
const zombiesOf = (at: Field) => at.zombies.map(({ kind, row, col, hp }) => [kind, row, col, hp]);

describe('one turn', () => {
  test('a zombie walks one cell a turn and leaves at the left', () => {
    expect(zombiesOf(turn(field([], [['N', 1, 3, 4]])))).toEqual([['N', 1, 2, 4]]);
    const lost = turn(field([], [['N', 1, 0, 4]]));
    expect(lost).toMatchObject({ lost: 1, turn: 0, zombies: [] });
  });
  test('sun: 25 a turn, 10 a sunflower', () => {
    expect(turn(field(['X 0 0', 'X 2 5'], [])).sun).toBe(45);
    expect(turn(field([], [])).sun).toBe(25);
  });
  test('a shooter hits the left-most zombie at or right of it, in its row', () => {
    const at = field(['W 1 2'], [['N', 1, 1, 4], ['N', 1, 5, 4], ['N', 1, 3, 4], ['N', 0, 3, 4]]); // prettier-ignore
    expect(zombiesOf(turn(at))).toEqual([['N', 1, 0, 4], ['N', 1, 4, 4], ['N', 1, 2, 3], ['N', 0, 2, 4]]); // prettier-ignore
  });
  test('a zombie in the cell of the shooter is hit, and bites', () => {
    const after = turn(field(['W 0 0'], [['N', 0, 0, 2]]));
    expect(zombiesOf(after)).toEqual([['N', 0, 0, 1]]);
    expect(after.cells[0]).toEqual({ kind: 'W', hp: 1 });
  });
  test('who is shot dead neither bites nor walks; shots beyond its HP are lost', () => {
    const after = turn(field(['W 0 0', 'W 0 1'], [['N', 0, 2, 1], ['N', 0, 3, 4]])); // prettier-ignore
    expect(zombiesOf(after)).toEqual([['N', 0, 2, 4]]);
  });
  test('the three-line shooter reaches the rows that exist', () => {
    const all: [Zombie['kind'], number, number, number][] = [['N', 0, 4, 4], ['N', 1, 4, 4], ['N', 2, 4, 4]]; // prettier-ignore
    expect(turn(field(['S 1 0'], all)).zombies.map(({ hp }) => hp)).toEqual([3, 3, 3]);
    expect(turn(field(['S 0 0'], all)).zombies.map(({ hp }) => hp)).toEqual([3, 3, 4]);
  });
  test('a torch adds one, in that row, once, for the cell to its left', () => {
    const all: [Zombie['kind'], number, number, number][] = [['N', 0, 5, 9], ['N', 1, 5, 9]]; // prettier-ignore
    expect(turn(field(['W 0 0', 'H 0 1'], all)).zombies.map(({ hp }) => hp)).toEqual([7, 9]);
    expect(turn(field(['W 0 0', 'H 0 1', 'H 0 2'], all)).zombies.map(({ hp }) => hp)).toEqual([7, 9]);
    expect(turn(field(['W 0 0', 'H 0 2'], all)).zombies.map(({ hp }) => hp)).toEqual([8, 9]);
    expect(turn(field(['S 0 0', 'H 0 1'], all)).zombies.map(({ hp }) => hp)).toEqual([7, 8]);
  });
  test('bites: all at once, I bites 3, the dead plant goes', () => {
    expect(turn(field(['J 0 2'], [['I', 0, 2, 6], ['N', 0, 2, 4]])).cells[2]).toEqual({ kind: 'J', hp: 6 }); // prettier-ignore
    const after = turn(field(['X 0 2'], [['N', 0, 2, 4], ['N', 0, 2, 4]])); // prettier-ignore
    expect(after.cells[2]).toBeNull();
    expect(after.zombies.map(({ col }) => col)).toEqual([2, 2]);
  });
  test('a chili burns its row before anything else and leaves its cell free', () => {
    const after = placed(pocket, field([], [['B', 0, 0, 30], ['N', 1, 4, 4]], 300), 'F', 0, 3); // prettier-ignore
    expect(after.sun).toBe(0);
    expect(zombiesOf(after)).toEqual([['N', 1, 4, 4]]);
    expect(after.cells.every((plant) => plant === null)).toBe(true);
  });
});

describe('spawns', () => {
  test('1 + floor(turn/10) at turns 0, 5, 10, …', () => {
    expect([0, 1, 5, 10, 15, 20, 25, 30].map(spawnCount)).toEqual([1, 0, 1, 2, 2, 3, 3, 4]);
  });
  test('HP grows by 4 every 10 turns', () => {
    expect([hpOf('N', 0), hpOf('N', 9), hpOf('N', 10), hpOf('R', 10), hpOf('B', 20), hpOf('I', 25)]).toEqual([4, 4, 8, 12, 20, 14]); // prettier-ignore
  });
  test('kinds only from their turn on; all of them occur', () => {
    const first = { N: 0, R: 10, B: 20, I: 20 };
    const seen = new Set<string>();
    for (let seed = 0; seed < 50; seed++) {
      for (const { turn, kind, row } of drawSpawns(configs.paper.strict, stream(seed, 's'))) {
        expect(turn).toBeGreaterThanOrEqual(first[kind]);
        expect(row).toBeLessThan(5);
        seen.add(kind);
      }
    }
    expect(seen.size).toBe(4);
  });
  test('they enter at the right edge', () => {
    expect(arriving(pocket, [{ turn: 10, row: 2, kind: 'R' }], 10)).toEqual([{ kind: 'R', row: 2, col: 5, hp: 12 }]);
  });
});
