// The benchmarks in a page, in a worker as on the project's own page. `?only=NAME`; the result is JSON in #out.
const worker = new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' });
const out = document.querySelector('#out')!;
worker.onmessage = ({ data }: MessageEvent<string>) => {
  out.textContent = data;
  document.documentElement.dataset.done = 'true';
};
worker.onerror = (event) => {
  out.textContent = JSON.stringify({ error: event.message });
  document.documentElement.dataset.done = 'true';
};
worker.postMessage(new URLSearchParams(location.search).get('only') ?? '');
