// Where a model's bytes come from, as the loaders see it: named files that can be read in pieces.
// Knows nothing of formats, disks, downloads.
import { CodedError } from '../../errors.ts';

/** One readable file. `read` may give fewer bytes than asked for only if the file is shorter than `size` says. */
export interface FileSource {
  /** Base name, without folders. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Hugging Face's layout: what a folder must hold, what it may, and its weights, in one file or in the shards of an index. */
export const LAYOUT = {
  needed: ['config.json', 'tokenizer.json'],
  optional: ['tokenizer_config.json', 'generation_config.json', 'chat_template.jinja'],
  weights: 'model.safetensors',
  index: 'model.safetensors.index.json',
} as const;

/** A model's files by base name: config.json, model.safetensors, tokenizer.json, … */
export type ModelFiles = ReadonlyMap<string, FileSource>;

/** Whether a name or path is that of a GGUF file. */
export const isGguf = (name: string): boolean => name.toLowerCase().endsWith('.gguf');

/** Sources by their names. Errors: model/bad-file when two have one name. */
export function modelFiles(sources: Iterable<FileSource>): ModelFiles {
  const files = new Map<string, FileSource>();
  for (const source of sources) {
    if (files.has(source.name)) throw new CodedError('model/bad-file', `two files are named ${source.name}`);
    files.set(source.name, source);
  }
  return files;
}

/** A file that is already in memory. */
export function memoryFile(name: string, content: Uint8Array | string): FileSource {
  const data = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { name, size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}

/** A Blob or a browser's File, read in slices. */
export function blobFile(name: string, blob: Blob): FileSource {
  return {
    name,
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

/**
 * Exactly `length` bytes at `offset`, at an address that any typed array can view.
 * Errors: model/bad-file (beyond the end, or the file is shorter than it said), model/read (the source failed).
 */
export async function readBytes(source: FileSource, offset: number, length: number): Promise<Uint8Array> {
  if (!(offset >= 0 && length >= 0 && offset + length <= source.size)) {
    const message = `${source.name}: bytes ${offset} to ${offset + length} are beyond its ${source.size}`;
    throw new CodedError('model/bad-file', message, 'The file is truncated or not of this format.');
  }
  let data: Uint8Array;
  try {
    data = await source.read(offset, length);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError('model/read', `${source.name} could not be read`, 'Try again.', String(error));
  }
  if (data.length !== length) {
    const message = `${source.name}: ${data.length} bytes came where ${length} were asked for`;
    throw new CodedError('model/bad-file', message, 'The file changed or its download was cut: fetch it again.');
  }
  return data.byteOffset % 8 === 0 ? data : data.slice();
}

/** A whole text file. Errors: model/bad-file when it is longer than `limit` bytes or not UTF-8; model/read. */
export async function readText(source: FileSource, limit = 64 * 2 ** 20): Promise<string> {
  if (source.size > limit) {
    throw new CodedError('model/bad-file', `${source.name} has ${source.size} bytes, more than ${limit}`);
  }
  const data = await readBytes(source, 0, source.size);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new CodedError('model/bad-file', `${source.name} is not UTF-8 text`, 'Is it the right file?');
  }
}
