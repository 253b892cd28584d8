// A GGUF file's header: metadata and the tensors' directory, versions 2 and 3, little-endian. A file is untrusted: every
// size is checked against the file's before anything is allocated. Knows nothing of models.
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md and the checks of its reader, src/gguf.cpp.
import { CodedError } from '../../../errors.ts';
import type { DType, Tensor } from '../../types.ts';
import { BLOCKS, byteLength, countOf } from '../dtype.ts';
import { readBytes } from '../files.ts';
import type { FileSource } from '../files.ts';
import { BadHeader, Cursor, OutOfBytes } from './cursor.ts';
import { Metadata } from './metadata.ts';
import { dtypeOf, typeName } from './types.ts';

/** Largest header that is read; those of published models have 2 to 16 MB, mostly their vocabulary. */
export const MAX_HEADER = 64 * 2 ** 20;
const FIRST_READ = 2 ** 20;
const MAX_TENSORS = 2 ** 16;
const MAX_DIMENSIONS = 4;

export interface GgufTensor {
  /** null: a type that the engine does not compute with; `type` names it. */
  dtype: DType | null;
  /** As ggml calls it: F32, Q4_K, … */
  type: string;
  /** Row-major: the file's own order, which counts from the innermost size, turned around. */
  shape: number[];
  /** Bytes from the start of the file. */
  begin: number;
  /** null where the type is unknown. */
  end: number | null;
}

export interface GgufHeader {
  metadata: Metadata;
  tensors: Map<string, GgufTensor>;
}

function bad(source: FileSource, what: string): CodedError {
  return new CodedError(
    'model/bad-file',
    `${source.name}: ${what}`,
    'The file is damaged or not GGUF: fetch it again.',
  );
}

/**
 * A file's header. Errors: model/bad-file, model/unsupported (version 1, big-endian, one part of several), model/read.
 */
export async function readGgufHeader(source: FileSource): Promise<GgufHeader> {
  const most = Math.min(source.size, MAX_HEADER);
  // A header does not say how long it is: parse what is there, and again with four times as much while it is too short.
  for (let length = Math.min(most, FIRST_READ); ; length = Math.min(most, 4 * length)) {
    const bytes = await readBytes(source, 0, length);
    try {
      return parse(source, new Cursor(bytes));
    } catch (error) {
      if (error instanceof CodedError) throw error;
      if (error instanceof BadHeader) throw bad(source, error.message);
      if (!(error instanceof OutOfBytes)) throw error;
      if (length < most) continue;
      throw bad(source, most < source.size ? `its header is longer than ${MAX_HEADER} bytes` : 'it is cut short');
    }
  }
}

function parse(source: FileSource, cursor: Cursor): GgufHeader {
  if (cursor.u32() !== 0x46554747) throw bad(source, 'it does not begin with the letters GGUF');
  const version = cursor.u32();
  if (version !== 2 && version !== 3) {
    const what = version % 65536 === 0 ? 'big-endian' : `version ${version}`;
    throw new CodedError('model/unsupported', `${source.name} is GGUF of ${what}`, 'Versions 2 and 3 load.');
  }
  const [tensorCount, valueCount] = [cursor.size(), cursor.size()];
  if (tensorCount > MAX_TENSORS) throw bad(source, `it claims ${tensorCount} tensors`);
  const metadata = Metadata.read(cursor, valueCount);
  if ((metadata.whole('split.count') ?? 1) > 1) {
    throw new CodedError('model/unsupported', `${source.name} is one part of several`, 'Merge them (gguf-split).');
  }
  const alignment = metadata.whole('general.alignment') ?? 32;
  if (!(alignment >= 1 && alignment <= 65536 && Number.isInteger(Math.log2(alignment)))) {
    throw bad(source, `its alignment is ${alignment}`);
  }
  const tensors = new Map<string, GgufTensor>();
  for (let i = 0; i < tensorCount; i++) {
    const name = cursor.string();
    if (tensors.has(name)) throw bad(source, `it names tensor ${name} twice`);
    tensors.set(name, readEntry(source, cursor, name, alignment));
  }
  placeTensors(source, tensors, Math.ceil(cursor.at / alignment) * alignment);
  return { metadata, tensors };
}

/** One line of the directory; `begin` and `end` count from the first tensor yet. */
function readEntry(source: FileSource, cursor: Cursor, name: string, alignment: number): GgufTensor {
  const dimensions = cursor.u32();
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) throw bad(source, `tensor ${name} has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, cursor.size).reverse();
  const code = cursor.u32();
  const begin = cursor.size();
  const [dtype, type] = [dtypeOf(code), typeName(code)];
  if (begin % alignment !== 0) throw bad(source, `tensor ${name} begins at ${begin}, not a multiple of ${alignment}`);
  if (!dtype) return { dtype, type, shape, begin, end: null };
  const inRow = BLOCKS[dtype].weights;
  if (!Number.isSafeInteger(countOf(shape)) || shape.includes(0) || shape.at(-1)! % inRow !== 0) {
    throw bad(source, `tensor ${name} has the shape [${shape.join(', ')}] in blocks of ${inRow}`);
  }
  return { dtype, type, shape, begin, end: begin + byteLength(dtype, shape) };
}

/** Moves the tensors to their places in the file, where they must fit without overlap. */
function placeTensors(source: FileSource, tensors: ReadonlyMap<string, GgufTensor>, start: number): void {
  let free = 0;
  for (const [name, tensor] of [...tensors].sort((a, b) => a[1].begin - b[1].begin)) {
    if (tensor.begin < free) throw bad(source, `tensor ${name} overlaps another`);
    free = tensor.end ?? tensor.begin;
    if (start + free > source.size) throw bad(source, `it is cut short: tensor ${name} ends at byte ${start + free}`);
    tensor.begin += start;
    if (tensor.end !== null) tensor.end += start;
  }
}

/** One tensor's bytes. Errors: model/unsupported (its type), model/bad-file, model/read. */
export async function readGgufTensor(source: FileSource, name: string, entry: GgufTensor): Promise<Tensor> {
  const { dtype, type, shape, begin, end } = entry;
  if (dtype === null || end === null) {
    const hint = 'Files in F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K and Q6_K load.';
    throw new CodedError('model/unsupported', `tensor ${name} is stored as ${type}`, hint);
  }
  return { dtype, shape, data: await readBytes(source, begin, end - begin) };
}
