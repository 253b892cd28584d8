// Bytes that may be gzip, told by their first two: given back plain, as they come. Knows nothing of what they hold.
import { CodedError } from '../errors.ts';

type Chunk = string | Uint8Array;

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Errors: import/bad-gzip. */
export async function* inflated(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    yield* unpacked(source);
  } finally {
    await source.return?.();
  }
}

async function* unpacked(source: AsyncIterator<Chunk>): AsyncGenerator<Chunk> {
  let next = await source.next();
  // One byte is too little to tell.
  while (!next.done && typeof next.value !== 'string' && next.value.length < 2) {
    const more = await source.next();
    if (more.done || typeof more.value === 'string') break;
    next = { done: false, value: joined(next.value, more.value) };
  }
  const rest = async function* (): AsyncGenerator<Chunk> {
    for (; !next.done; next = await source.next()) yield next.value;
  };
  if (next.done || typeof next.value === 'string' || !isGzip(next.value)) return yield* rest();
  const packed = rest();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await packed.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
  });
  try {
    yield* pulled(stream.pipeThrough(new DecompressionStream('gzip')));
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError(
      'import/bad-gzip',
      `not a whole gzip file: ${(error as Error).message}`,
      'it was cut off or changed',
    );
  }
}

/** Not every browser iterates a ReadableStream (https://bugs.webkit.org/show_bug.cgi?id=194379). */
export async function* pulled<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
