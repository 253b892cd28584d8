// JSON lines from a stream of bytes, gzip or plain (by its first two bytes), in batches as they arrive.

export async function* jsonLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of chunks(await inflated(body))) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    const values = parsed(lines);
    if (values.length > 0) yield values;
  }
  const values = parsed([rest + decoder.decode()]);
  if (values.length > 0) yield values;
}

const parsed = (lines: string[]) =>
  lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);

async function inflated(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.getReader();
  const first = await reader.read();
  const start = first.value ?? new Uint8Array();
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(start),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return start[0] === 0x1f && start[1] === 0x8b ? whole.pipeThrough(new DecompressionStream('gzip')) : whole;
}

// Safari has no async iteration over a ReadableStream (https://bugs.webkit.org/show_bug.cgi?id=194379).
async function* chunks(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
