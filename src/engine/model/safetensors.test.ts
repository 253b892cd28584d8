import { describe, expect, it } from 'vitest';
import { CodedError } from '../../errors.ts';
import type { Tensor } from '../types.ts';
import { fromF32, toF32 } from './convert.ts';
import { blobFile, memoryFile } from './files.ts';
import type { FileSource } from './files.ts';
import { RandomStream } from './random.ts';
import { MAX_HEADER, parseShardIndex, readHeader, readSafetensors, writeSafetensors } from './safetensors.ts';

/** A file from a header (text or value) and data bytes. */
function file(header: unknown, data = new Uint8Array(0), length?: number): FileSource {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return memoryFile('x.safetensors', bytes);
}
const f32 = (shape: number[], begin: number, end: number) => ({ dtype: 'F32', shape, data_offsets: [begin, end] });
const codeOf = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'no error',
    (error: unknown) => (error instanceof CodedError ? error.code : `not coded: ${String(error)}`),
  );

const sample = (): Map<string, Tensor> =>
  new Map([
    ['b', fromF32(Float32Array.of(1, 2, 3), 'f16', [3])],
    ['a', fromF32(Float32Array.of(1, -2, 3, 4, 5, 6), 'f32', [2, 3])],
    ['empty', fromF32(new Float32Array(0), 'bf16', [0, 4])],
    ['scalar', fromF32(Float32Array.of(7), 'bf16', [])],
    ['__proto__', fromF32(Float32Array.of(8), 'f32', [1])],
  ]);

describe('a written file', () => {
  it('is read back, from memory and from a Blob', async () => {
    const bytes = writeSafetensors(sample());
    for (const source of [memoryFile('m', bytes), blobFile('m', new Blob([bytes]))]) {
      const back = await readSafetensors(source);
      expect([...back.keys()].sort()).toEqual([...sample().keys()].sort());
      for (const [name, tensor] of sample()) {
        expect(back.get(name)).toMatchObject({ dtype: tensor.dtype, shape: tensor.shape });
        expect(toF32(back.get(name)!)).toEqual(toF32(tensor));
      }
    }
  });

  it('does not depend on the order of the tensors', () => {
    const turned = new Map([...sample()].reverse());
    expect(writeSafetensors(turned)).toEqual(writeSafetensors(sample()));
  });

  it('has its data at a multiple of eight, and its metadata', async () => {
    const bytes = writeSafetensors(sample(), { format: 'pt', note: 'ü' });
    const header = await readHeader(memoryFile('m', bytes));
    expect(header.metadata).toEqual({ format: 'pt', note: 'ü' });
    expect(Math.min(...[...header.tensors.values()].map(({ begin }) => begin)) % 8).toBe(0);
  });

  it('cannot hold block types, or bytes that do not fill a shape', () => {
    const block = fromF32(new Float32Array(32), 'q8_0', [32]);
    expect(() => writeSafetensors(new Map([['q', block]]))).toThrow(/q8_0/);
    expect(() => writeSafetensors(new Map([['t', { dtype: 'f32', shape: [2], data: new Uint8Array(4) }]]))).toThrow();
  });
});

describe('a hostile file', () => {
  const eight = new Uint8Array(8);
  it.each<[string, FileSource]>([
    ['nothing', memoryFile('x', new Uint8Array(0))],
    ['seven bytes', memoryFile('x', new Uint8Array(7))],
    ['a web page', memoryFile('x', '<!doctype html><title>404</title>')],
    ['a header beyond the end', file({}, eight, 1000)],
    ['a header of 2^40 bytes', file({}, eight, 2 ** 40)],
    ['a header just above the limit', file({}, eight, MAX_HEADER + 1)],
    ['a cut header', file('{"a":{"dtype":"F32","sha')],
    ['a header that is an array', file('[]')],
    ['a header that is null', file('null')],
    ['a header that is no text', file('\ufffd'.repeat(3).replace(/./g, '{'))],
    ['an unknown type', file({ a: { ...f32([2], 0, 8), dtype: 'F33' } }, eight)],
    ['a type from the prototype', file({ a: { ...f32([2], 0, 8), dtype: 'constructor' } }, eight)],
    ['a negative size', file({ a: f32([-2], 0, 8) }, eight)],
    ['a fractional size', file({ a: f32([2.5], 0, 10) }, eight)],
    ['a huge shape', file({ a: f32([2 ** 52, 2 ** 52], 0, 8) }, eight)],
    ['a shape times zero', file({ a: f32([2 ** 53, 0], 0, 0) })],
    ['an infinite size', file('{"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,8]}}', eight)],
    ['more bytes than the shape has', file({ a: f32([1], 0, 8) }, eight)],
    ['fewer bytes than the shape has', file({ a: f32([4], 0, 8) }, eight)],
    ['offsets beyond the end', file({ a: f32([4], 0, 16) }, eight)],
    ['offsets backwards', file({ a: f32([2], 8, 0) }, eight)],
    ['an overlap', file({ a: f32([2], 0, 8), b: f32([1], 4, 8) }, eight)],
    ['the same bytes twice', file({ a: f32([2], 0, 8), b: f32([2], 0, 8) }, eight)],
    ['a gap', file({ a: f32([1], 4, 8) }, eight)],
    ['bytes after the end', file({ a: f32([1], 0, 4) }, eight)],
    ['a misaligned tensor', file({ a: { dtype: 'U8', shape: [2], data_offsets: [0, 2] }, b: f32([1], 2, 6) }, eight)],
    [
      'one name twice',
      file(
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
        eight,
      ),
    ],
    [
      'one name twice, once escaped',
      file(
        '{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"\\u0061":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
        eight,
      ),
    ],
    ['a type twice', file('{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}', eight)],
    ['an unknown field', file({ a: { ...f32([2], 0, 8), offset: 3 } }, eight)],
    ['metadata that is not text', file({ __metadata__: { a: 3 }, a: f32([2], 0, 8) }, eight)],
    ['a tensor that is a number', file({ a: 3 }, eight)],
    ['three offsets', file({ a: { ...f32([2], 0, 8), data_offsets: [0, 8, 8] } }, eight)],
    ['deep nesting', file('['.repeat(100_000))],
  ])('%s is refused with a code', async (_, source) => {
    expect(await codeOf(readSafetensors(source))).toBe('model/bad-file');
  });

  it('in a type that the engine does not read is named', async () => {
    const source = file({ a: { dtype: 'I64', shape: [1], data_offsets: [0, 8] } }, eight);
    expect((await readHeader(source)).tensors.get('a')?.dtype).toBe('I64');
    expect(await codeOf(readSafetensors(source))).toBe('model/unsupported');
  });

  it('whose source gives less than it said, or fails, is refused', async () => {
    const short: FileSource = { name: 'x', size: 100, read: async () => new Uint8Array(3) };
    const broken: FileSource = { name: 'x', size: 100, read: async () => Promise.reject(new Error('disk')) };
    expect(await codeOf(readSafetensors(short))).toBe('model/bad-file');
    expect(await codeOf(readSafetensors(broken))).toBe('model/read');
  });

  it('made by changing a good one is read or refused, never a crash, never more bytes than it has', async () => {
    const good = writeSafetensors(sample());
    const random = new RandomStream(3, 'mutations');
    const pick = (n: number) => random.next() % n;
    const header = 8 + new DataView(good.buffer).getUint32(0, true);
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 4000; round++) {
      let bytes = good.slice();
      for (let change = 0; change <= pick(3); change++) {
        const at = pick(header);
        const kind = pick(4);
        if (kind === 0) bytes[at] = pick(256);
        else if (kind === 1) bytes[at] = bytes[pick(bytes.length)]!;
        else if (kind === 2) bytes[at] = '0123456789{}[]",:'.charCodeAt(pick(17));
        else bytes = bytes.slice(0, pick(bytes.length + 1));
        if (bytes.length <= header) break;
      }
      const asked: number[] = [];
      const source = memoryFile('x', bytes);
      const watched: FileSource = { ...source, read: (o, n) => (asked.push(n), source.read(o, n)) };
      const code = await codeOf(readSafetensors(watched));
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
      expect(Math.max(0, ...asked)).toBeLessThanOrEqual(bytes.length);
    }
    expect([...outcomes.keys()].every((code) => /^(no error|model\/(bad-file|unsupported))$/.test(code))).toBe(true);
    expect(outcomes.get('model/bad-file')).toBeGreaterThan(1000);
  });
});

describe('parseShardIndex', () => {
  it('maps names to plain file names', () => {
    const json = JSON.stringify({ metadata: { total_size: 3 }, weight_map: { a: 'm-1.safetensors' } });
    expect(parseShardIndex(json)).toEqual(new Map([['a', 'm-1.safetensors']]));
    for (const bad of ['{}', '{"weight_map":3}', '{"weight_map":{"a":3}}', '{"weight_map":{"a":"../x"}}', 'x']) {
      expect(() => parseShardIndex(bad)).toThrow(CodedError);
    }
  });
});
