// JSON lines from bytes, gzip or plain, in batches as they arrive.
import { CodedError } from '../../errors.ts';
import { batchesOf, type Line, type TextSource } from '../../log/lines.ts';

/** Errors: import/bad-line, import/too-large, import/bad-gzip. */
export async function* jsonLines(source: TextSource): AsyncGenerator<unknown[]> {
  for await (const batch of batchesOf(source)) {
    const values = batch.filter(({ text }) => text.trim() !== '').map(parsed);
    if (values.length > 0) yield values;
  }
}

function parsed({ number, text }: Line): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CodedError(
      'import/bad-line',
      `line ${number}: ${(error as Error).message}`,
      'the file was changed or cut off',
    );
  }
}
