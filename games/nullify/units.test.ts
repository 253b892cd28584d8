// Exact numbers and merges, rule by rule.
import { describe, expect, test } from 'vitest';
import { ceil, floor, format, parse, rational, root } from './rational.ts';
import { merged, readUnit } from './units.ts';

const after = (texts: string[], i: number, j: number) => {
  const next = merged(texts.map(readUnit), i, j);
  return typeof next === 'string' ? next : next.map(({ text }) => text);
};

describe('rationals', () => {
  test.each(['0', '-3', '7/2', '-7/2'])('%s is written as it is read', (text) =>
    expect(format(parse(text))).toBe(text),
  );
  test('lowest terms, positive denominator', () => expect(format(rational(4, -6))).toBe('-2/3'));
  test.each([['7/2', 3, 4], ['-7/2', -4, -3], ['3', 3, 3], ['-1/3', -1, 0]] as const)('floor and ceil of %s', (text, low, high) => {
    expect(format(floor(parse(text)))).toBe(String(low));
    expect(format(ceil(parse(text)))).toBe(String(high));
  }); // prettier-ignore
  test('roots', () => {
    for (let n = 0; n < 2000; n++) expect(root(rational(n * n))).toEqual(rational(n));
    for (const n of [2, 3, 8, 99, -1, -4]) expect(root(rational(n))).toBeNull();
    const huge = 123456789012345678901234567890n ** 5n;
    expect(root(rational(huge * huge, 49))).toEqual(rational(huge, 7));
    expect(root(rational(huge * huge + 1n))).toBeNull();
  });
});

describe('merges', () => {
  test('the new unit goes to the end', () => expect(after(['3', '*2', '-1'], 0, 2)).toEqual(['*2', '2']));
  test('a sum of zero removes both', () => expect(after(['3', 'sqrt', '-3'], 0, 2)).toEqual(['sqrt']));
  test('a zero by an operator stays', () => expect(after(['1/2', 'floor', '4'], 0, 1)).toEqual(['4', '0']));
  test('unless it is the last unit', () => expect(after(['1/2', 'floor'], 1, 0)).toEqual([]));
  test.each([
    [['*2', 'sqrt'], 'two operators'],
    [['-4', 'sqrt'], 'root of a negative number'],
    [['2', 'sqrt'], 'no exact root'],
    [['0', 'reciprocal'], 'division by zero'],
    [['9'.repeat(150), 'square'], 'the number gets too large'],
  ])('%s: %s', (units, reason) => expect(after(units, 0, 1)).toBe(reason));
  test.each([
    ['*3', '-2', '-6'], ['/4', '6', '3/2'], ['sqrt', '4/9', '2/3'], ['square', '-3/2', '9/4'],
    ['reciprocal', '-2/3', '-3/2'], ['floor', '-1/2', '-1'], ['ceil', '5/2', '3'],
  ])('%s of %s is %s', (operator, number, made) => expect(after([operator, number, '1'], 0, 1)).toEqual(['1', made])); // prettier-ignore
});
