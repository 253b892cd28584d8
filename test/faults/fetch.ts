// A host that misbehaves: stands in for `fetch` while a test runs.

export type Answer = (signal: AbortSignal | null, init?: RequestInit) => Response | Promise<Response>;

/** Answers by the end of the address; anything else is 404. Returns what puts the real `fetch` back. */
export function fakeHost(answers: Readonly<Record<string, Answer>>): () => void {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const found = Object.entries(answers).find(([end]) => url.endsWith(end));
    return found ? found[1](init?.signal ?? null, init) : new Response('not here', { status: 404 });
  };
  return () => {
    globalThis.fetch = real;
  };
}

/** A body that promises `promised` bytes and ends, or breaks, after fewer. */
export const cutStream =
  (sent: number, promised: number, how: 'ends' | 'breaks' = 'ends'): Answer =>
  () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(sent));
        if (how === 'ends') controller.close();
      },
      pull(controller) {
        controller.error(new TypeError('network connection was lost'));
      },
    });
    return new Response(body, { headers: { 'content-length': String(promised) } });
  };

/** A start page in place of a file, as single-page hosts send it. */
export const startPage: Answer = () =>
  new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });

/** Headers come, the body never does. */
export const stalled: Answer = (signal) => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')));
    },
  });
  return new Response(body, { headers: { 'content-length': '100' } });
};

export const file =
  (text: string): Answer =>
  () =>
    new Response(text, { headers: { 'content-length': String(text.length) } });
