// We and wllama (llama.cpp in WebAssembly) in turns in one page; medians as JSON in #out.
import { median } from '../result.ts';
import { DECODE, longText, shortText } from './work.ts';

interface Timings {
  prompt_n: number;
  prompt_ms: number;
  predicted_n: number;
  predicted_ms: number;
}
interface Wllama {
  loadModel(files: Blob[], options: object): Promise<void>;
  createCompletion(options: object): Promise<{ timings?: Timings }>;
  getNumThreads(): number;
}

const out = document.querySelector('#out')!;
const query = new URLSearchParams(location.search);
const [threads, rounds] = [Number(query.get('threads')), Number(query.get('rounds'))];

const worker = new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' });
const ask = (message: object) =>
  new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ value?: number; error?: string }>) =>
      data.value === undefined ? reject(new Error(data.error)) : resolve(data.value);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(message);
  });

async function peer() {
  const base = '/bench/peers/node_modules/@wllama/wllama/esm/';
  const { Wllama } = (await import(/* @vite-ignore */ `${base}index.js`)) as {
    Wllama: new (paths: object, options: object) => Wllama;
  };
  const wllama = new Wllama({ default: `${base}wasm/wllama.wasm` }, { suppressNativeLog: true });
  const file = await (await fetch('/model.gguf')).blob();
  await wllama.loadModel([file], { n_ctx: 1024, n_threads: threads, n_gpu_layers: 0 });
  let turn = 0;
  const timed = async (prompt: string, tokens: number) => {
    const { timings } = await wllama.createCompletion({
      prompt,
      max_tokens: tokens,
      temperature: 1,
      cache_prompt: false,
    });
    if (!timings) throw new Error('wllama gives no timings');
    return timings;
  };
  return {
    threads: wllama.getNumThreads(),
    async prefill() {
      const { prompt_n, prompt_ms } = await timed(longText(++turn), 1);
      return (1000 * prompt_n) / prompt_ms;
    },
    async decode() {
      const { predicted_n, predicted_ms } = await timed(shortText(++turn), DECODE);
      return (1000 * predicted_n) / predicted_ms;
    },
  };
}

async function run() {
  const ours = await ask({ load: threads });
  const wllama = await peer();
  const names = ['prefill', 'decode', 'beside', 'train'] as const;
  const times = {
    ours: { prefill: [], decode: [], beside: [], train: [] },
    theirs: { prefill: [], decode: [], beside: [], train: [] },
  } as Record<'ours' | 'theirs', Record<(typeof names)[number], number[]>>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      out.textContent = `Round ${round}, ours, ${name} …`;
      const mine = await ask({ time: name });
      out.textContent = `Round ${round}, wllama, ${name} …`;
      const other = name === 'beside' || name === 'train' ? mine : await wllama[name]();
      if (round === 0) continue; // warm-up
      times.ours[name].push(mine);
      times.theirs[name].push(other);
    }
  }
  const medians = (of: Record<string, number[]>) =>
    Object.fromEntries(Object.entries(of).map(([name, values]) => [name, median(values)]));
  return { threads: ours, peerThreads: wllama.threads, ours: medians(times.ours), theirs: medians(times.theirs) };
}

try {
  out.textContent = JSON.stringify(await run());
} catch (error) {
  out.textContent = JSON.stringify({ error: String(error) });
}
document.documentElement.dataset.done = 'true';
