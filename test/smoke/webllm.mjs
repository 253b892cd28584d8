// npm run smoke:webllm -- --model ID: a whole run of trust by a real WebLLM model, on a machine with a GPU and a network.
// It is no part of `npm test`: where that runs there is neither. Prints what the page says, and fails with the page's own
// code. What was downloaded is kept in test/.results/smoke for the next time.
//   --model ID        of WebLLM's list, without `webllm:`      --judge ID     another one that judges
//   --games trust     game names                               --minutes 30   until it is given up
//   --headed          a window, where headless has no GPU      --flags="…"    further switches of Chromium
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../../bin/chromium.mjs';
import { serve } from '../../bin/serve.mjs';
import { results } from '../e2e/browser.mjs';
import { buildPage } from '../e2e/build.mjs';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'SmolLM2-360M-Instruct-q4f16_1-MLC' },
    judge: { type: 'string' },
    games: { type: 'string', default: 'trust' },
    minutes: { type: 'string', default: '30' },
    headed: { type: 'boolean', default: false },
    flags: { type: 'string', default: '' },
  },
});

class Failed extends Error {}
const fail = (code, message) => {
  throw new Failed(`${code}: ${message}`);
};

async function smoke() {
  console.log('Building the page …');
  await buildPage();
  const { server, url } = await serve(join(results, 'dist'), { port: 0 });
  const executablePath = chromiumPath();
  const context = await chromium
    .launchPersistentContext(join(results, 'smoke'), {
      headless: !values.headed,
      args: [
        '--no-sandbox',
        '--enable-unsafe-webgpu',
        '--enable-features=Vulkan',
        ...values.flags.split(' ').filter(Boolean),
      ],
      ...(executablePath ? { executablePath } : {}),
    })
    .catch((error) => fail('worker/not-ready', `Chromium cannot be started: ${error.message.split('\n')[0]}`));
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    page.on('pageerror', (error) => console.log(`page error: ${error.message}`));
    const question = new URLSearchParams({
      ...{ v: '1', model: `webllm:${values.model}`, games: values.games, pathways: 'frozen,history,summary' },
      ...(values.judge ? { judge: `webllm:${values.judge}` } : {}),
      ...{ explore: '4', every: '2', strict: '7', frozenReplicates: '1', split: 'strict', autorun: '1' },
    });
    await page.goto(`${url}?${question}`);
    await finished(page);
    await examine(page);
  } finally {
    await context.close();
    server.close();
  }
}

/** Says what the page says, until the run is over. */
async function finished(page) {
  const end = Date.now() + Number(values.minutes) * 60_000;
  let last = '';
  while (Date.now() < end) {
    const { state, error, said } = await page.evaluate(() => ({
      state: document.documentElement.dataset.runState,
      error: [...document.querySelectorAll('[data-part=error]')].map((card) => ({
        code: card.querySelector('code')?.innerText,
        text: card.innerText.split('\n').filter(Boolean).slice(0, 2).join(' '),
      }))[0],
      said: document.querySelector('.happened p')?.innerText.trim() ?? '',
    }));
    if (said !== last && said) console.log(said);
    last = said;
    if (error) fail(error.code ?? 'worker/unknown', error.text);
    if (state === 'failed') fail('worker/unknown', 'the run failed without a word');
    if (state === 'done') return;
    await page.waitForTimeout(500);
  }
  fail('worker/timeout', `not done within ${values.minutes} minutes`);
}

/** Reads the log, as a person would export it, and has it verified. */
async function examine(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-part=export]').click()]);
  const events = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const steps = events.flatMap((event) => event.steps ?? []);
  const share = (test) => `${steps.filter(test).length} of ${steps.length}`;
  const tokens = steps.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
  const ms = steps.reduce((sum, { decodeMs = 0 }) => sum + decodeMs, 0);
  console.log(`model: ${JSON.stringify(events[0].model)}`);
  console.log(
    `steps: ${share(({ valid }) => valid)} valid, ${share(({ selfScore }) => selfScore !== null)} with a score`,
  );
  console.log(`thoughts: ${share(({ thought }) => thought !== undefined)}`);
  console.log(`tokens: ${tokens} written, ${((1000 * tokens) / ms).toFixed(1)} a second, prompts and all`);
  console.log(`verdict: ${(await page.locator('[data-part=verdict]').innerText()).replaceAll('\n', ' ')}`);
  if (events[0].model?.kind !== 'webllm') fail('model/webllm', 'the log names another kind of model');
  if (events.at(-1).type !== 'run.closed') fail('log/not-closed', 'the log does not end');
  await page.getByRole('button', { name: 'Verify' }).click();
  const verified = page.getByText(/Verified:|Does not verify/).first();
  await verified.waitFor({ timeout: 120_000 });
  const words = await verified.innerText();
  console.log(words);
  if (!words.includes('Verified')) fail('log/differs', words);
}

try {
  await smoke();
  console.log('ok');
} catch (error) {
  console.error(`failed: ${error instanceof Failed ? error.message : error.stack}`);
  process.exitCode = 1;
}
