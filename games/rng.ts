// Named, seeded randomness: a stream is a pure function of (seed, names), so no draw can shift another stream.
// sfc32 (Chris Doty-Humphrey, PractRand) seeded by SHA-256 of the name.
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Rng } from './contract.ts';

/** A stream for `seed` and a path of names, e.g. stream(7, 'snake-v1', 'instance', 0). */
export function stream(seed: number | string, ...names: (string | number)[]): Rng {
  const digest = sha256(utf8ToBytes(JSON.stringify([String(seed), ...names.map(String)])));
  const words = new DataView(digest.buffer, digest.byteOffset);
  return sfc32(words.getUint32(0), words.getUint32(4), words.getUint32(8), words.getUint32(12));
}

function sfc32(a: number, b: number, c: number, counter: number): Rng {
  const u32 = () => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  const next = () => u32() / 4294967296;
  const int = (n: number) => {
    if (!Number.isInteger(n) || n < 1 || n > 4294967296) throw new RangeError(`int(${n})`);
    const limit = 4294967296 - (4294967296 % n);
    let draw = u32();
    while (draw >= limit) draw = u32();
    return draw % n;
  };
  return {
    next,
    int,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('pick from nothing');
      return items[int(items.length)]!;
    },
    weighted: (weights) => {
      let left = next() * weights.reduce((sum, w) => sum + w, 0);
      for (let i = 0; i < weights.length; i++) {
        left -= weights[i]!;
        if (left < 0) return i;
      }
      return weights.findLastIndex((w) => w > 0); // rounding left a crumb
    },
    shuffle: (items) => {
      const copy = [...items];
      for (let i = copy.length - 1; i > 0; i--) {
        const j = int(i + 1);
        [copy[i], copy[j]] = [copy[j]!, copy[i]!];
      }
      return copy;
    },
  };
}

/** A 32-bit seed derived from a name; for seeds that are stored as numbers. */
export function deriveSeed(seed: number | string, ...names: (string | number)[]): number {
  return stream(seed, ...names).int(4294967296);
}
