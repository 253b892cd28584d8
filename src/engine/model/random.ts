// Counter-based random bits: Philox4x32-10. A number depends on seed, stream name and position alone, on any machine.
// Knows nothing of what the numbers are for.
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011 (the test holds Random123's vectors).
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** High 32 bits of the 64-bit product of two unsigned 32-bit numbers, by 16-bit halves: no BigInt, no rounding. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const middle2 = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + (middle >>> 16) + (middle2 >>> 16)) >>> 0;
}

/** One Philox4x32-10 block: four unsigned 32-bit words from a counter of four words and a key of two. */
export function philox(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  let [a, b, c, d] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const high0 = mulHigh(0xd2511f53, a);
    const low0 = Math.imul(0xd2511f53, a) >>> 0;
    const high1 = mulHigh(0xcd9e8d57, c);
    const low1 = Math.imul(0xcd9e8d57, c) >>> 0;
    a = (high1 ^ b ^ k0) >>> 0;
    b = low1;
    c = (high0 ^ d ^ k1) >>> 0;
    d = low0;
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [a, b, c, d];
}

/** A named stream of unsigned 32-bit words. Two streams of one seed are independent; so are two seeds of one name. */
export class RandomStream {
  private readonly key: [number, number];
  private readonly name: [number, number];
  private block: [number, number, number, number] = [0, 0, 0, 0];
  private position = 0;

  /** @param seed a non-negative safe integer */
  constructor(seed: number, name: string) {
    if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`seed must be a non-negative integer: ${seed}`);
    const digest = new DataView(sha256(utf8ToBytes(name)).buffer);
    this.key = [seed >>> 0, Math.floor(seed / 2 ** 32)];
    this.name = [digest.getUint32(0, true), digest.getUint32(4, true)];
  }

  /** The next word. */
  next(): number {
    const lane = this.position & 3;
    if (lane === 0) {
      const index = this.position / 4;
      this.block = philox([index >>> 0, Math.floor(index / 2 ** 32), this.name[0], this.name[1]], this.key);
    }
    this.position++;
    return this.block[lane]!;
  }

  /** Uniform in [0, 1), a multiple of 2^-24: exact in f32 too. */
  uniform(): number {
    return (this.next() >>> 8) / 2 ** 24;
  }

  /**
   * About standard normal: the sum of twelve uniforms less six (Irwin–Hall), in [-6, 6], variance 1 - 2^-32.
   * Only integer additions, so every engine gives the same bits; Math.log and Math.cos do not promise that.
   */
  normal(): number {
    let sum = 0;
    for (let i = 0; i < 6; i++) {
      const word = this.next();
      sum += (word & 0xffff) + (word >>> 16);
    }
    return (sum + 6) / 65536 - 6;
  }
}
