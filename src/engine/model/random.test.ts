import { describe, expect, it } from 'vitest';
import { RandomStream, philox } from './random.ts';

describe('philox', () => {
  // Random123, tests/kat_vectors: philox4x32 10
  it.each([
    [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [
      [2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1],
      [2 ** 32 - 1, 2 ** 32 - 1],
      '408f276d 41c83b0e a20bc7c6 6d5451fd',
    ],
    [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0], 'd16cfe09 94fdcceb 5001e420 24126ea1'],
  ] as [[number, number, number, number], [number, number], string][])(
    'gives the published words',
    (counter, key, words) => {
      expect(
        philox(counter, key)
          .map((word) => word.toString(16).padStart(8, '0'))
          .join(' '),
      ).toBe(words);
    },
  );
});

describe('RandomStream', () => {
  it('depends on seed and name, and on nothing else', () => {
    const take = (seed: number, name: string) => {
      const stream = new RandomStream(seed, name);
      return Array.from({ length: 9 }, () => stream.next());
    };
    expect(take(1, 'a')).toEqual(take(1, 'a'));
    expect(take(1, 'a')).not.toEqual(take(2, 'a'));
    expect(take(1, 'a')).not.toEqual(take(1, 'b'));
    expect(take(1, 'a')).not.toEqual(take(1 + 2 ** 32, 'a'));
  });

  it('has the moments it says', () => {
    const stream = new RandomStream(7, 'moments');
    const n = 50_000;
    let uniform = 0;
    let normal = 0;
    let square = 0;
    let fourth = 0;
    for (let i = 0; i < n; i++) {
      uniform += stream.uniform() / n;
      const z = stream.normal();
      normal += z / n;
      square += z ** 2 / n;
      fourth += z ** 4 / n;
    }
    expect(uniform).toBeCloseTo(0.5, 2);
    expect(Math.abs(normal)).toBeLessThan(0.02);
    expect(square).toBeCloseTo(1, 1);
    expect(fourth).toBeGreaterThan(2.75); // a normal's 3 less 0.1 for twelve summands
    expect(fourth).toBeLessThan(3.05);
  });

  it('refuses a seed that is not a non-negative integer', () => {
    expect(() => new RandomStream(-1, 'a')).toThrow(RangeError);
    expect(() => new RandomStream(0.5, 'a')).toThrow(RangeError);
  });
});
