// `npm run bench`: our engine beside its peers, in Node and in isolated headless Chromium.
import { join } from 'node:path';
import { benchNames, runBenches } from '../../../bench/all.ts';
import type { BenchResult } from '../../../bench/result.ts';
import { chromiumPath } from '../../../bin/chromium.mjs';
import { CodedError } from '../../errors.ts';
import { requireFile, type Args, type Command, type Io } from '../command.ts';

export const command: Command = {
  name: 'bench',
  summary: 'Speed beside a peer in the same run: ratios of medians, and shares of each op.',
  usage:
    '[[--only] NAME | llm [--model FILE.gguf] [--threads N] [--rounds N]] [--where node|chromium|both] [--adapter software|any] [--json]',
  flags: {
    only: { type: 'string' },
    where: { type: 'string' },
    adapter: { type: 'string' },
    json: { type: 'boolean' },
    model: { type: 'string' },
    threads: { type: 'string' },
    rounds: { type: 'string' },
  },
  positionals: [0, 1],
  async run(args, io) {
    const only = args.positionals[0] ?? args.text('only') ?? '';
    const software = args.oneOf('adapter', ['software', 'any'], 'software') === 'software';
    if (only !== '' && only !== 'llm' && !benchNames.includes(only)) {
      throw new CodedError('usage/bad-value', `no benchmark ${only}`, `one of llm, ${benchNames.join(', ')}`);
    }
    const where = args.oneOf('where', ['node', 'chromium', 'both'], 'both');
    const results = only === 'llm' ? await besideLlama(args, where, io) : await small(only, where, software, io);
    if (args.flag('json')) io.out(JSON.stringify({ results }));
    else for (const result of results) io.out(describe(result));
    return 0;
  },
};

async function small(
  only: string,
  where: 'node' | 'chromium' | 'both',
  software: boolean,
  io: Io,
): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  if (where !== 'chromium') results.push(...(await runBenches(only)));
  if (where !== 'node') {
    const found = await inChromium(only, io.root, software);
    if (found) results.push(...found);
    else io.err('no Chromium found (CHROME_PATH names one): Node only');
  }
  return results;
}

/** A real model beside llama.cpp's two builds (bench/llm). */
async function besideLlama(args: Args, where: 'node' | 'chromium' | 'both', io: Io): Promise<BenchResult[]> {
  const model = args.text('model') ?? join(io.root, '../shared/models/SmolLM2-135M-Instruct.Q4_1.gguf');
  requireFile(model, 'name a GGUF file with --model');
  const threads = args.integer('threads', 2, [1, 64]);
  const rounds = args.integer('rounds', 3, [1, 100]);
  const { runLlm } = await import('../../../bench/llm/run.ts');
  return runLlm({ root: io.root, model, threads, rounds, where, say: io.err });
}

function describe({ name, host, oursMs, peer, peerMs, ratio, shares, notes }: BenchResult): string {
  const top = Object.entries(shares)
    .slice(0, 6)
    .map(([op, share]) => `${op} ${(share * 100).toFixed(0)} %`);
  return [
    `${name} (${host}): ${oursMs.toFixed(2)} ms, ${peer} ${peerMs.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`,
    `  ${top.join(', ')}`,
    ...(notes ? [`  ${notes}`] : []),
  ].join('\n');
}

/** WebGPU computed by the processor, so that figures of machines without a GPU can be compared. */
const SOFTWARE = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

/** The same benchmarks in a page that Vite serves with the isolation headers; null without a browser. */
async function inChromium(only: string, root: string, software: boolean): Promise<BenchResult[] | null> {
  const executablePath = chromiumPath();
  if (!executablePath) return null;
  const [{ createServer }, { chromium }] = await Promise.all([import('vite'), import('playwright-core')]);
  const server = await createServer({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', watch: null },
  });
  await server.listen();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...(software ? SOFTWARE : [])] });
  try {
    const page = await browser.newPage();
    const { port } = server.httpServer!.address() as { port: number };
    await page.goto(`http://127.0.0.1:${port}/bench/page.html?only=${only}`);
    await page.waitForSelector('html[data-done]', { timeout: 900_000 });
    const answer = JSON.parse((await page.textContent('#out'))!) as { results?: BenchResult[]; error?: string };
    if (!answer.results) throw new CodedError('worker/failed', `benchmark in Chromium: ${answer.error}`);
    return answer.results;
  } finally {
    await browser.close();
    await server.close();
  }
}
