// JSON lines from a stream of bytes, gzip or plain, in batches as they arrive.
import { inflated, pulled } from '../../log/inflate.ts';

export async function* jsonLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of inflated(pulled(body))) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const values = parsed(lines);
    if (values.length > 0) yield values;
  }
  const values = parsed([rest + decoder.decode()]);
  if (values.length > 0) yield values;
}

const parsed = (lines: string[]) =>
  lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);
