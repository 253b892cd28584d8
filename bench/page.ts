// The benchmarks in a page, in a worker as on the project's own page. `?only=NAME`, or data-only on the page; the result is
// JSON in #out.
const worker = new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' });
const out = document.querySelector('#out')!;
const copy = document.querySelector<HTMLButtonElement>('#copy');
const { dataset } = document.documentElement;
function done(json: string): void {
  out.textContent = json;
  dataset.done = 'true';
  if (copy) copy.disabled = false;
}
copy?.addEventListener('click', () => void navigator.clipboard.writeText(out.textContent));
worker.onmessage = ({ data }: MessageEvent<string>) => done(data);
worker.onerror = (event) => done(JSON.stringify({ error: event.message }));
worker.postMessage(new URLSearchParams(location.search).get('only') ?? dataset.only ?? '');
