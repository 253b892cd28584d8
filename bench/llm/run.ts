// `npm run bench -- llm`: a real model beside llama.cpp, native in Node and in WebAssembly in Chromium, on the same file in
// the same run, in turns. The peers are heavy and have a package of their own in bench/peers, installed here alone.
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chromiumPath } from '../../bin/chromium.mjs';
import { CodedError } from '../../src/errors.ts';
import { nodeFile } from '../../src/engine/model/files.node.ts';
import { modelFiles } from '../../src/engine/model/files.ts';
import { type BenchResult, median, place } from '../result.ts';
import { nativeSpeeds } from './native.ts';
import { ourSpeeds, TRAIN, TRAIN_AIM_S } from './work.ts';

export interface LlmOptions {
  root: string;
  /** A GGUF file that all sides read. */
  model: string;
  threads: number;
  rounds: number;
  where: 'node' | 'chromium' | 'both';
  say(text: string): void;
}

/** What must be reached, peer by peer: our tokens a second over theirs. */
const BARS: Record<string, number> = {
  'llm-prefill/wllama': 10,
  'llm-decode/wllama': 1.5,
  'llm-side-by-side/one sequence': 6,
};

/** Errors: usage/no-file; what npm, Chromium and the peers throw. */
export async function runLlm(options: LlmOptions): Promise<BenchResult[]> {
  const peers = join(options.root, 'bench/peers');
  if (!existsSync(join(peers, 'node_modules/.package-lock.json'))) {
    options.say('installing llama.cpp’s two builds in bench/peers (some 700 MB)');
    // No scripts: node-llama-cpp's would fetch or build; its binaries are packages. Not `npm ci`, which wants the packages
    // of all systems in the lockfile, and not every registry holds those.
    execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: peers,
      stdio: ['ignore', 2, 2],
    });
  }
  const results: BenchResult[] = [];
  if (options.where !== 'chromium') results.push(...(await inNode(options, peers)));
  if (options.where !== 'node') results.push(...(await inChromium(options)));
  return results;
}

interface Rates {
  prefill: number;
  decode: number;
  beside: number;
  train: number;
}

/** Rates are tokens a second; results say milliseconds a token, so that peer / ours is the ratio of rates. */
function resultsOf(
  where: Pick<BenchResult, 'where' | 'host'>,
  peer: string,
  ours: Rates,
  theirs: Pick<Rates, 'prefill' | 'decode'>,
): BenchResult[] {
  const one = (name: string, mine: number, against: string, other: number): BenchResult => {
    const ratio = mine / other;
    const bar = BARS[`${name}/${against.split(' ')[0] === 'wllama' ? 'wllama' : against}`];
    const met = bar === undefined ? '' : `, bar ${bar}: ${ratio >= bar ? 'met' : 'not met'}`;
    return {
      ...{ name, ...where, engine: 'cpu', oursMs: 1000 / mine, peer: against, peerMs: 1000 / other, ratio, shares: {} },
      notes: `${mine.toFixed(0)} against ${other.toFixed(0)} tokens/s${met}`,
    };
  };
  return [
    one('llm-prefill', ours.prefill, peer, theirs.prefill),
    one('llm-decode', ours.decode, peer, theirs.decode),
    one('llm-side-by-side', ours.beside, 'one sequence', ours.decode),
    // No peer trains here; beside its reading, a step's cost is known on any machine.
    { ...one('llm-lora-step', ours.train, `${peer}, reading as many`, theirs.prefill), notes: stepNotes(ours.train) },
  ];
}

const stepNotes = (rate: number) =>
  `${(TRAIN / rate).toFixed(1)} s a step of ${TRAIN} tokens, aim ${TRAIN_AIM_S}: ${TRAIN / rate <= TRAIN_AIM_S ? 'met' : 'not met'}`;

async function inNode({ model, threads, rounds }: LlmOptions, peers: string): Promise<BenchResult[]> {
  const ours = await ourSpeeds(modelFiles([await nodeFile(model, basename(model))]), threads);
  const native = await nativeSpeeds(peers, model, threads);
  const rates = { ours: [] as Rates[], theirs: [] as Pick<Rates, 'prefill' | 'decode'>[] };
  for (let round = 0; round <= rounds; round++) {
    const mine = {
      ...{ prefill: await ours.prefill(), decode: await ours.decode() },
      ...{ beside: await ours.beside(), train: await ours.train() },
    };
    const other = { prefill: await native.prefill(), decode: await native.decode() };
    if (round === 0) continue; // warm-up
    rates.ours.push(mine);
    rates.theirs.push(other);
  }
  await ours.close();
  await native.close();
  const of = <K extends string>(all: readonly Record<K, number>[], key: K) => median(all.map((one) => one[key]));
  const mine = {
    ...{ prefill: of(rates.ours, 'prefill'), decode: of(rates.ours, 'decode') },
    ...{ beside: of(rates.ours, 'beside'), train: of(rates.ours, 'train') },
  };
  const other = { prefill: of(rates.theirs, 'prefill'), decode: of(rates.theirs, 'decode') };
  return resultsOf(place(ours.threads), 'llama.cpp (node-llama-cpp 3.22.1)', mine, other);
}

async function inChromium({ root, model, threads, rounds }: LlmOptions): Promise<BenchResult[]> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new CodedError('usage/no-file', 'no Chromium found', 'CHROME_PATH names one');
  const [{ createServer }, { chromium }] = await Promise.all([import('vite'), import('playwright-core')]);
  const server = await createServer({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', watch: null, hmr: false },
    plugins: [
      {
        name: 'model-file',
        configureServer({ middlewares }) {
          middlewares.use('/model.gguf', (_request, response) => {
            response.setHeader('Content-Length', statSync(model).size);
            response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
            createReadStream(model).pipe(response);
          });
        },
      },
    ],
  });
  await server.listen();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const { port } = server.httpServer!.address() as { port: number };
    await page.goto(`http://127.0.0.1:${port}/bench/llm/page.html?threads=${threads}&rounds=${rounds}`);
    await page.waitForSelector('html[data-done]', { timeout: 3_600_000 });
    const answer = JSON.parse((await page.textContent('#out'))!) as {
      error?: string;
      threads: number;
      peerThreads: number;
      ours: Rates;
      theirs: Rates;
    };
    if (answer.error) throw new CodedError('worker/failed', `benchmark in Chromium: ${answer.error}`);
    const host = `Chromium ${browser.version()}, ${answer.threads} threads`;
    const peer = `wllama 3.13.0, ${answer.peerThreads} threads`;
    return resultsOf({ where: 'chromium', host }, peer, answer.ours, answer.theirs);
  } finally {
    await browser.close();
    await server.close();
  }
}
