// The safetensors format: header, tensors, one file or shards, and back to bytes. A file is untrusted: every length is
// checked against the file's size before anything is allocated. Knows nothing of models.
// Source: https://github.com/huggingface/safetensors (format section; its reader's checks, safetensors/src/tensor.rs).
import * as v from 'valibot';
import { CodedError } from '../../errors.ts';
import type { DType, Tensor } from '../types.ts';
import { byteLength, countOf } from './dtype.ts';
import { readBytes } from './files.ts';
import type { FileSource } from './files.ts';
import { parseJsonObject, repeatedKey, validate } from './json.ts';

/** Largest header we read; the largest published models have about 1 MB. */
export const MAX_HEADER = 16 * 2 ** 20;

/** Bytes per element of every type that a header may name; the engine reads three of them. */
const ELEMENT: Readonly<Record<string, number>> = {
  ...{ BOOL: 1, U8: 1, I8: 1, F8_E5M2: 1, F8_E4M3: 1, F8_E8M0: 1, I16: 2, U16: 2, F16: 2, BF16: 2 },
  ...{ I32: 4, U32: 4, F32: 4, I64: 8, U64: 8, F64: 8, C64: 8 },
};
const READABLE: Readonly<Record<string, DType>> = { F32: 'f32', F16: 'f16', BF16: 'bf16' };
const WRITABLE: Partial<Record<DType, string>> = { f32: 'F32', f16: 'F16', bf16: 'BF16' };

const size = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Entry = v.strictObject({
  dtype: v.string(),
  shape: v.array(size),
  data_offsets: v.strictTuple([size, size]),
});
const Metadata = v.optional(v.record(v.string(), v.string()), {});

export interface TensorEntry {
  /** As the file names it: F32, BF16, I64, … */
  dtype: string;
  shape: number[];
  /** Bytes from the start of the file. */
  begin: number;
  end: number;
}

export interface SafetensorsHeader {
  tensors: Map<string, TensorEntry>;
  metadata: Record<string, string>;
}

function bad(source: FileSource, what: string): CodedError {
  return new CodedError('model/bad-file', `${source.name}: ${what}`, 'The file is damaged or not safetensors.');
}

function checkEntry(source: FileSource, name: string, entry: v.InferOutput<typeof Entry>): void {
  const element = Object.hasOwn(ELEMENT, entry.dtype) ? ELEMENT[entry.dtype] : undefined;
  if (element === undefined) throw bad(source, `tensor ${name} has the unknown type ${entry.dtype}`);
  const [begin, end] = entry.data_offsets;
  const bytes = countOf(entry.shape) * element;
  if (!Number.isSafeInteger(bytes) || end - begin !== bytes) {
    throw bad(source, `tensor ${name} has ${end - begin} bytes for ${entry.dtype} [${entry.shape}]`);
  }
  if (begin % element !== 0) throw bad(source, `tensor ${name} begins at ${begin}, not a multiple of ${element}`);
}

/**
 * A file's header, checked as the reference reader does: tensors in some order fill the data exactly, without overlap,
 * gap or rest. Errors: model/bad-file, model/read.
 */
export async function readHeader(source: FileSource): Promise<SafetensorsHeader> {
  if (source.size < 8) throw bad(source, `${source.size} bytes are too few`);
  const prefix = new DataView((await readBytes(source, 0, 8)).slice().buffer);
  const length = prefix.getUint32(0, true);
  if (prefix.getUint32(4, true) !== 0 || length > MAX_HEADER) throw bad(source, 'its header claims to be huge');
  if (8 + length > source.size) throw bad(source, `a header of ${length} bytes does not fit into ${source.size}`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readBytes(source, 8, length));
  } catch (error) {
    throw error instanceof CodedError ? error : bad(source, 'its header is not UTF-8');
  }
  const raw = parseJsonObject(text, `${source.name}: header`);
  const twice = repeatedKey(text);
  if (twice !== null) throw bad(source, `its header names ${twice} twice`);

  const tensors = new Map<string, TensorEntry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (name === '__metadata__') {
      metadata = validate(Metadata, value, `${source.name}: metadata`);
      continue;
    }
    const entry = validate(Entry, value, `${source.name}: tensor ${name}`);
    checkEntry(source, name, entry);
    const [begin, end] = entry.data_offsets;
    tensors.set(name, { dtype: entry.dtype, shape: entry.shape, begin: 8 + length + begin, end: 8 + length + end });
  }
  let at = 8 + length;
  for (const [name, { begin, end }] of [...tensors].sort((a, b) => a[1].begin - b[1].begin || a[1].end - b[1].end)) {
    if (begin !== at) throw bad(source, `tensor ${name} ${begin < at ? 'overlaps another' : 'leaves a gap before it'}`);
    at = end;
  }
  if (at !== source.size) throw bad(source, at > source.size ? 'it is cut short' : 'bytes follow its last tensor');
  return { tensors, metadata };
}

/** One tensor's bytes. Errors: model/unsupported (a type other than F32, F16, BF16), model/bad-file, model/read. */
export async function readTensor(source: FileSource, name: string, entry: TensorEntry): Promise<Tensor> {
  const dtype = Object.hasOwn(READABLE, entry.dtype) ? READABLE[entry.dtype] : undefined;
  if (dtype === undefined) {
    throw new CodedError('model/unsupported', `tensor ${name} is ${entry.dtype}`, 'Use a file in F32, F16 or BF16.');
  }
  const data = await readBytes(source, entry.begin, entry.end - entry.begin);
  return { dtype, shape: entry.shape, data };
}

/** A whole file. Errors: those of readHeader and readTensor. */
export async function readSafetensors(source: FileSource): Promise<Map<string, Tensor>> {
  const { tensors } = await readHeader(source);
  const out = new Map<string, Tensor>();
  for (const [name, entry] of tensors) out.set(name, await readTensor(source, name, entry));
  return out;
}

const ShardIndex = v.object({ weight_map: v.record(v.string(), v.string()) });

/** model.safetensors.index.json as tensor name -> file name. Errors: model/bad-file (also a name with a path in it). */
export function parseShardIndex(json: string): Map<string, string> {
  const what = 'model.safetensors.index.json';
  const { weight_map } = validate(ShardIndex, parseJsonObject(json, what), what);
  for (const file of Object.values(weight_map)) {
    if (/[/\\]/.test(file)) throw new CodedError('model/bad-file', `${what}: ${file} is not a plain file name`);
  }
  return new Map(Object.entries(weight_map));
}

/**
 * Tensors as one file's bytes. The same tensors give the same bytes: widest type first, then by name, header padded
 * with spaces to eight bytes. Errors: model/unsupported (types other than f32, f16, bf16), model/tensor (lengths).
 */
export function writeSafetensors(
  tensors: ReadonlyMap<string, Tensor>,
  metadata: Readonly<Record<string, string>> = { format: 'pt' },
): Uint8Array<ArrayBuffer> {
  const header: [string, unknown][] = [['__metadata__', metadata]];
  const wide = (tensor: Tensor): number => (tensor.dtype === 'f32' ? 4 : 2);
  const order = [...tensors].sort(([a, x], [b, y]) => wide(y) - wide(x) || (a < b ? -1 : 1));
  let at = 0;
  for (const [name, tensor] of order) {
    const dtype = WRITABLE[tensor.dtype];
    if (!dtype) throw new CodedError('model/unsupported', `tensor ${name}: safetensors has no ${tensor.dtype}`);
    if (name === '__metadata__') throw new CodedError('model/tensor', 'a tensor may not be called __metadata__');
    const bytes = tensor.data.length;
    if (bytes !== byteLength(tensor.dtype, tensor.shape)) {
      throw new CodedError('model/tensor', `tensor ${name} has ${bytes} bytes for ${dtype} [${tensor.shape}]`);
    }
    header.push([name, { dtype, shape: tensor.shape, data_offsets: [at, at + bytes] }]);
    at += bytes;
  }
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const start = 8 + Math.ceil(json.length / 8) * 8;
  const out = new Uint8Array(start + at);
  new DataView(out.buffer).setUint32(0, start - 8, true);
  out.fill(0x20, 8, start).set(json, 8);
  at = start;
  for (const [, { data }] of order) {
    out.set(data, at);
    at += data.length;
  }
  return out;
}
