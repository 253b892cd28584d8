import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../errors.ts';
import { toF32 } from '../convert.ts';
import { memoryFile } from '../files.ts';
import type { FileSource } from '../files.ts';
import { readSafetensors } from '../safetensors.ts';
import { MAX_HEADER, readGgufHeader, readGgufTensor } from './header.ts';
import { type Typed, writeGguf, Writer } from './testing.ts';

const fixture = (name: string): FileSource =>
  memoryFile(
    name,
    readFileSync(fileURLToPath(new URL(`../../../../test/fixtures/references/gguf/${name}`, import.meta.url))),
  );

describe('a file with one tensor of each block type', async () => {
  const source = fixture('quants.gguf');
  const { metadata, tensors } = await readGgufHeader(source);
  const expected = await readSafetensors(fixture('quants-expected.safetensors'));

  it('has them all', () => {
    expect(metadata.text('general.architecture')).toBe('llama');
    expect([...tensors.keys()].sort()).toEqual([...expected.keys()].sort());
    expect(tensors.size).toBe(10);
  });

  it.each([...tensors.keys()])('%s is dequantised to the last bit', async (name) => {
    const tensor = await readGgufTensor(source, name, tensors.get(name)!);
    expect(tensor).toMatchObject({ dtype: name.toLowerCase(), shape: [6, 512] });
    const [found, right] = [toF32(tensor), toF32(expected.get(name)!)];
    expect(right.some((x) => x !== right[0])).toBe(true);
    expect(Buffer.from(found.buffer).equals(Buffer.from(right.buffer))).toBe(true);
  });
});

describe('metadata', () => {
  const all: Record<string, Typed> = {
    ...{ u8: [0, 255], i8: [1, -1], u16: [2, 65535], i16: [3, -2], u32: [4, 2 ** 32 - 1], i32: [5, -3] },
    ...{ f32: [6, 0.5], bool: [7, true], text: [8, 'é 🙂'], u64: [10, 2 ** 53 - 1], big: [10, 2n ** 63n] },
    ...{
      i64: [11, -4],
      f64: [12, 0.1],
      none: [9, [4, []]],
      texts: [9, [8, ['a', '', 'b']]],
      wholes: [9, [1, [1, -1]]],
    },
    deep: [9, [9, [[7, [true, false]] as const, [9, [[4, [1]]]] as const]]],
  };

  it.each([2, 3])('of every type, version %i', async (version) => {
    const { metadata } = await readGgufHeader(memoryFile('m', writeGguf(all, new Map(), { version })));
    expect(metadata.section('')).toEqual({
      ...{ u8: 255, i8: -1, u16: 65535, i16: -2, u32: 2 ** 32 - 1, i32: -3, f32: 0.5, bool: true, text: 'é 🙂' },
      ...{ u64: 2 ** 53 - 1, big: 2n ** 63n - 0n, i64: -4, f64: 0.1, none: [], texts: ['a', '', 'b'], wholes: [1, -1] },
      deep: [[true, false], [[1]]],
    });
    expect(metadata.texts('texts')).toEqual(['a', '', 'b']);
    expect([metadata.whole('i64'), metadata.whole('absent'), metadata.flag('bool')]).toEqual([-4, null, true]);
    for (const read of ['text', 'flag', 'whole', 'texts', 'wholes'] as const) {
      expect(() => metadata[read]('f64')).toThrow(CodedError);
    }
  });
});

const codeOf = async (bytes: Uint8Array): Promise<string> =>
  readGgufHeader(memoryFile('x.gguf', bytes)).then(
    () => 'no error',
    (error: unknown) => (error instanceof CodedError ? error.code : `not coded: ${String(error)}`),
  );
/** The beginning of a file that claims these counts. */
const start = (tensors: number | bigint, values: number | bigint, version = 3): Writer =>
  new Writer().bytes(new TextEncoder().encode('GGUF')).number(4, version).number(8, tensors).number(8, values);
const tensor = (name: string, shape: number[], dtype: number, offset: number, out = start(1, 0)): Writer => {
  out.string(name).number(4, shape.length);
  for (const size of shape) out.number(8, size);
  return out.number(4, dtype).number(8, offset);
};

describe('a wrong file is refused with a code', () => {
  const whole = tensor('a', [32, 2], 8, 0).pad(32).bytes(new Uint8Array(68)).done();

  it('and a right one is not', async () => expect(await codeOf(whole)).toBe('no error'));

  it('cut anywhere', async () => {
    for (let length = 0; length < whole.length; length++) {
      expect(await codeOf(whole.subarray(0, length)), `${length} bytes`).toBe('model/bad-file');
    }
  });

  it.each([
    ['other letters', Uint8Array.from([...new TextEncoder().encode('GGML'), ...whole.subarray(4)])],
    ['2^63 tensors', start(2n ** 62n, 0).done()],
    ['2^32 values', start(0, 2 ** 32).done()],
    [
      'a text of 2^62 bytes',
      start(0, 1)
        .number(8, 2n ** 62n)
        .done(),
    ],
    [
      'an array of 2^60 numbers',
      start(0, 1)
        .string('k')
        .number(4, 9)
        .number(4, 4)
        .number(8, 2n ** 60n)
        .done(),
    ],
    ['a value of type 13', start(0, 1).string('k').number(4, 13).number(8, 0).done()],
    ['a truth value of 2', writeGguf({ k: [7, 2] })],
    ['an alignment of 48', writeGguf({ 'general.alignment': [4, 48] })],
    ['an alignment of 0', writeGguf({ 'general.alignment': [4, 0] })],
    ['a key that is no UTF-8', start(0, 1).number(8, 1).bytes([0xff]).number(4, 4).number(4, 1).done()],
    ['five dimensions', tensor('a', [1, 1, 1, 1, 1], 0, 0).pad(64).done()],
    ['no dimension', tensor('a', [], 0, 0).pad(64).done()],
    ['a size of 0', tensor('a', [0, 4], 0, 0).pad(64).done()],
    [
      'sizes whose product is huge',
      tensor('a', [2 ** 40, 2 ** 40], 0, 0)
        .pad(64)
        .done(),
    ],
    ['a row that is not whole blocks', tensor('a', [48, 2], 8, 0).pad(32).bytes(new Uint8Array(200)).done()],
    ['an offset off the alignment', tensor('a', [2], 0, 8).pad(32).bytes(new Uint8Array(64)).done()],
    [
      'an offset beyond the end',
      tensor('a', [2], 0, 2 ** 40)
        .pad(32)
        .bytes(new Uint8Array(64))
        .done(),
    ],
  ])('%s', async (_, bytes) => expect(await codeOf(bytes)).toBe('model/bad-file'));

  it('two of one name, two in one place', async () => {
    const twice = start(0, 2).string('k').number(4, 0).number(1, 1).string('k').number(4, 0).number(1, 1);
    expect(await codeOf(twice.done())).toBe('model/bad-file');
    const data = new Uint8Array(256);
    const pair = (name: string, offset: number) =>
      tensor(name, [16], 0, offset, tensor('a', [16], 0, 0, start(2, 0)))
        .pad(32)
        .bytes(data)
        .done();
    expect(await codeOf(pair('b', 64))).toBe('no error');
    expect(await codeOf(pair('a', 64))).toBe('model/bad-file');
    expect(await codeOf(pair('b', 32))).toBe('model/bad-file');
  });

  it('arrays in arrays without end', async () => {
    const out = start(0, 1).string('k').number(4, 9);
    for (let i = 0; i < 1000; i++) out.number(4, 9).number(8, 1);
    expect(await codeOf(out.done())).toBe('model/bad-file');
  });

  it('a header without end is not read without end', async () => {
    let most = 0;
    const source: FileSource = {
      name: 'x.gguf',
      size: 2 ** 40,
      read: async (_, length) => {
        most = Math.max(most, length);
        const bytes = new Uint8Array(length);
        bytes.set(
          start(0, 1)
            .string('k')
            .number(4, 9)
            .number(4, 0)
            .number(8, 2n ** 50n)
            .done(),
        );
        return bytes;
      },
    };
    await expect(readGgufHeader(source)).rejects.toMatchObject({ code: 'model/bad-file' });
    expect(most).toBeLessThanOrEqual(MAX_HEADER);
  });

  it('files that others read, by what they are', async () => {
    expect(await codeOf(start(0, 0, 1).done())).toBe('model/unsupported');
    expect(await codeOf(start(0, 0, 0x03000000).done())).toBe('model/unsupported');
    expect(await codeOf(writeGguf({ 'split.count': [2, 3] }))).toBe('model/unsupported');
    const q2 = memoryFile('q', tensor('a', [256, 2], 10, 0).pad(32).bytes(new Uint8Array(168)).done());
    const { tensors } = await readGgufHeader(q2);
    await expect(readGgufTensor(q2, 'a', tensors.get('a')!)).rejects.toMatchObject({
      code: 'model/unsupported',
      message: 'tensor a is stored as Q2_K',
    });
  });
});
