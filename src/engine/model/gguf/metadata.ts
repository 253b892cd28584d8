// The key-value part of a GGUF file: its thirteen value types, and reading a key as the type it must have.
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, gguf_metadata_value_type.
import { CodedError } from '../../../errors.ts';
import { BadHeader, type Cursor } from './cursor.ts';

/** Integers beyond 2^53 are bigints. */
export type GgufValue = boolean | number | bigint | string | GgufValue[];

/** Values in one file, elements of arrays included; a vocabulary of 256,000 with as many merges has 800,000. */
export const MAX_VALUES = 2 ** 22;
const MAX_DEPTH = 4;

const STRING = 8;
const ARRAY = 9;

function bool(cursor: Cursor): boolean {
  const byte = cursor.u8();
  if (byte > 1) throw new BadHeader(`a truth value is ${byte}`);
  return byte === 1;
}

/** Readers by type code. */
const SCALARS: Readonly<Record<number, (cursor: Cursor) => GgufValue>> = {
  ...{ 0: (c) => c.u8(), 1: (c) => c.i8(), 2: (c) => c.u16(), 3: (c) => c.i16(), 4: (c) => c.u32(), 5: (c) => c.i32() },
  ...{ 6: (c) => c.f32(), 7: bool, [STRING]: (c) => c.string(), 10: (c) => c.u64(), 11: (c) => c.i64() },
  12: (c) => c.f64(),
};

export class Metadata {
  private constructor(private readonly values: ReadonlyMap<string, GgufValue>) {}

  /** Throws OutOfBytes and BadHeader. */
  static read(cursor: Cursor, count: number): Metadata {
    const values = new Map<string, GgufValue>();
    let budget = MAX_VALUES;
    const read = (type: number, depth: number): GgufValue => {
      if (budget-- <= 0) throw new BadHeader(`its metadata has more than ${MAX_VALUES} values`);
      const scalar = SCALARS[type];
      if (scalar) return scalar(cursor);
      if (type !== ARRAY) throw new BadHeader(`its metadata has a value of the unknown type ${type}`);
      if (depth === MAX_DEPTH) throw new BadHeader(`its metadata has arrays more than ${MAX_DEPTH} deep`);
      const [element, length] = [cursor.u32(), cursor.size()];
      const array: GgufValue[] = []; // grows as bytes come: a count alone takes no memory
      for (let i = 0; i < length; i++) array.push(read(element, depth + 1));
      return array;
    };
    for (let i = 0; i < count; i++) {
      const key = cursor.string();
      if (values.has(key)) throw new BadHeader(`its metadata names ${key} twice`);
      values.set(key, read(cursor.u32(), 0));
    }
    return new Metadata(values);
  }

  has(key: string): boolean {
    return this.values.has(key);
  }

  /** All values whose keys begin with `prefix`, by the rest of the key. */
  section(prefix: string): Record<string, GgufValue> {
    const keys = [...this.values].filter(([key]) => key.startsWith(prefix));
    return Object.fromEntries(keys.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  /** null where the key is absent. Errors of these: model/bad-file (a value of another type). */
  text(key: string): string | null {
    return this.as(key, 'a text', (value) => typeof value === 'string');
  }
  flag(key: string): boolean | null {
    return this.as(key, 'true or false', (value) => typeof value === 'boolean');
  }
  whole(key: string): number | null {
    return this.as(key, 'a whole number', isWhole);
  }
  texts(key: string): string[] | null {
    return this.as(key, 'a list of texts', (value): value is string[] => listOf(value, (x) => typeof x === 'string'));
  }
  wholes(key: string): number[] | null {
    return this.as(key, 'a list of whole numbers', (value): value is number[] => listOf(value, isWhole));
  }

  private as<T extends GgufValue>(key: string, what: string, is: (value: GgufValue) => value is T): T | null {
    const value = this.values.get(key);
    if (value === undefined) return null;
    if (is(value)) return value;
    throw new CodedError('model/bad-file', `GGUF metadata: ${key} is not ${what}`);
  }
}

const isWhole = (value: GgufValue): value is number => Number.isSafeInteger(value);
const listOf = (value: GgufValue, is: (value: GgufValue) => boolean): boolean =>
  Array.isArray(value) && value.every(is);
