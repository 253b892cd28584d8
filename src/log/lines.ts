// Lines of a text that arrives in pieces, with a bound on each line. Knows nothing of what a line holds.
import { CodedError } from '../errors.ts';
import { inflated, pulled } from './inflate.ts';

/** Characters of a line: an episode of the paper's size has some millions. */
export const LONGEST_LINE = 1 << 26;

export type TextSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array>;

export interface Line {
  /** From 1, blank lines counted. */
  number: number;
  text: string;
  /** False only for a last line without a newline. */
  ended: boolean;
}

/**
 * Bytes may be gzip, and must be UTF-8 then; a byte order mark and `\r` before `\n` are dropped.
 * Errors: import/too-large, import/bad-line, import/bad-gzip.
 */
export async function* linesOf(source: TextSource, longest = LONGEST_LINE): AsyncGenerator<Line> {
  for await (const batch of batchesOf(source, longest)) yield* batch;
}

/** The same in batches: the lines that end in one piece of the source. */
export async function* batchesOf(source: TextSource, longest = LONGEST_LINE): AsyncGenerator<Line[]> {
  let number = 1;
  let pending: string[] = [];
  let length = 0;
  const take = (ended: boolean): Line => {
    let text = pending.length === 1 ? pending[0]! : pending.join('');
    if (text.endsWith('\r')) text = text.slice(0, -1);
    if (number === 1 && text.startsWith('\uFEFF')) text = text.slice(1);
    pending = [];
    length = 0;
    return { number: number++, text, ended };
  };
  const add = (piece: string) => {
    length += piece.length;
    if (length > longest) {
      throw new CodedError(
        'import/too-large',
        `line ${number} is longer than ${longest} characters`,
        'not a log of ours',
      );
    }
    pending.push(piece);
  };
  try {
    for await (const chunk of textChunks(source)) {
      const batch: Line[] = [];
      let start = 0;
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
        add(chunk.slice(start, end));
        batch.push(take(true));
        start = end + 1;
      }
      if (batch.length > 0) yield batch;
      if (start < chunk.length) add(chunk.slice(start));
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CodedError('import/bad-line', `line ${number} is not UTF-8 text`, 'a log is JSON lines, not an archive');
  }
  if (length > 0) yield [take(false)];
}

/** A source's pieces as they come, unpacked. */
export async function* piecesOf(source: TextSource): AsyncGenerator<string | Uint8Array> {
  if (typeof source === 'string') yield source;
  else if (source instanceof Blob) yield* inflated(pulled(source.stream()));
  else yield* inflated('getReader' in source ? pulled(source) : source);
}

async function* textChunks(source: TextSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const chunk of piecesOf(source))
    yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  let rest = '\uFFFD'; // a file may have been cut off within a character
  try {
    rest = decoder.decode();
  } catch {
    // The line that it ends in is no JSON, and is reported as such.
  }
  yield rest;
}
