// A run by WebLLM on the built page: page, lab, its worker and CacheStorage are real, the package's module is a script.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { exported, reached } from './browser.mjs';
import { scriptedFiles, scriptedWebllm } from './scripted-webllm.mjs';

const QUESTION =
  '&games=trust&pathways=frozen,summary&explore=2&every=1&strict=3&frozenReplicates=1&split=strict&autorun=1';

/** Another site, which lets its files be read. */
async function otherSite(files) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    const body = files[request.url];
    response.writeHead(body === undefined ? 404 : 200, { 'Access-Control-Allow-Origin': '*' }).end(body ?? '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { asked, server, url: `http://127.0.0.1:${server.address().port}` };
}

/** A page whose WebLLM is the script, with that site's files. */
async function scriptedPage(newPage, site) {
  const page = await newPage({ recording: [] });
  await page
    .context()
    .route(/\/lib-[^/]*\.js$/, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: scriptedWebllm(site.url) }),
    );
  return page;
}

export default [
  {
    name: 'webllm: the list says of every model whether it can run here and why not, and asks nobody else',
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: [] });
      const strange = [];
      page.context().on('request', (request) => request.url().startsWith(url) || strange.push(request.url()));
      await page.goto(url);
      await page.getByRole('button', { name: 'Model', exact: true }).click();
      await page.getByRole('button', { name: 'Show what this device can run' }).click();
      const reason = page.locator('dialog[open] details summary').first();
      await reason.waitFor({ timeout: 60_000 });
      const texts = await page.locator('dialog[open] details summary').allInnerTexts();
      const refused = texts
        .map((text) => Number(/^(\d+) models? cannot run here: ./.exec(text)?.[1]))
        .reduce((a, b) => a + b);
      const search = page.locator('dialog[open] input[type=search]');
      const can = (await search.count()) === 0 ? 0 : Number((await search.getAttribute('placeholder')).match(/\d+/)[0]);
      assert.ok(refused + can > 100, `${refused} and ${can}`);
      assert.deepEqual(
        strange.filter((address) => !/^(blob|data):/.test(address)),
        [],
      );
      assert.deepEqual(page.errors, []);
    },
  },
  {
    name: 'webllm: a model that cannot run here says so with a code; the page goes on',
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: [] });
      const packages = [];
      page.context().on('request', (request) => /\/lib-[^/]*\.js$/.test(request.url()) && packages.push(request.url()));
      const model = 'webllm:http://127.0.0.1:9/none/resolve/main/?lib=http://127.0.0.1:9/none.wasm';
      await page.goto(url);
      await page.locator('html[data-run-state=idle]').waitFor();
      assert.deepEqual(packages, [], 'the package came without being asked for');
      await page.goto(`${url}?v=1&model=${encodeURIComponent(model)}${QUESTION}`);
      await reached(page, 'failed', 30_000);
      const card = page.locator('[data-part=error]').first();
      // By what this machine has: no WebGPU, or nobody at that address.
      assert.match(await card.innerText(), /gpu\/unavailable|gpu\/limits|model\/offline/);
      await card.getByRole('button', { name: 'Dismiss' }).click();
      assert.equal(await page.locator('[data-part=error]').count(), 0);
      assert.deepEqual(
        page.errors.filter((text) => !/ERR_|Failed to load resource/.test(text)),
        [],
      );
    },
  },
  {
    name: 'webllm: a whole run of trust, spoken in turns; its log verifies, and says what was not looked at',
    timeoutMs: 180_000,
    async run({ url, page: newPage }) {
      const site = await otherSite(scriptedFiles);
      try {
        const page = await scriptedPage(newPage, site);
        await page.goto(`${url}?v=1&model=webllm:Scripted-0.5B-q4f32_1-MLC${QUESTION}`);
        await reached(page, 'done');
        assert.deepEqual(page.errors, []);
        assert.ok(site.asked.includes('/scripted/resolve/main/shard.bin'), 'no file of the model was asked for');

        const events = await exported(page);
        assert.deepEqual(events[0].model, { kind: 'webllm', parameters: 5e8, context: 4096, layout: 'chat' });
        assert.equal(events[0].config.model, 'webllm:Scripted-0.5B-q4f32_1-MLC');
        assert.equal(events.at(-1).type, 'run.closed');
        const steps = events.flatMap((event) => event.steps ?? []);
        assert.ok(steps.length > 20 && steps.every(({ valid }) => valid), 'not every answer was valid');
        assert.ok(
          steps.every(({ completionTokens }) => completionTokens.length === 5),
          'an answer is five tokens',
        );

        await page.getByRole('button', { name: 'Verify' }).click();
        await page.getByText('Verified:').waitFor({ timeout: 60_000 });
        // Its prompts' ids cannot be made again from outside, and nobody claims so.
        await page.getByText('Not looked at: token ids').waitFor();
      } finally {
        site.server.close();
      }
    },
  },
  {
    name: 'webllm: the judge is chosen from the same lists, by what each can do here; it judges what nano played',
    timeoutMs: 180_000,
    async run({ url, page: newPage }) {
      const site = await otherSite(scriptedFiles);
      try {
        const page = await scriptedPage(newPage, site);
        await page.goto(`${url}?v=1${QUESTION.replace('&autorun=1', '')}`);
        const sheet = page.locator('dialog[open]').last();
        const choose = async () => {
          await page.getByRole('button', { name: 'Choose a judge' }).click();
          await sheet.getByRole('heading', { name: 'Judge', exact: true }).waitFor();
        };
        await page.getByRole('button', { name: 'Settings', exact: true }).click();
        await choose();
        await page.getByRole('button', { name: 'Choose The agent, asked again' }).click();
        await page.waitForURL(/judge=pass/);
        await choose();
        await sheet.getByRole('button', { name: 'Show what this device can run' }).click();
        const row = sheet.locator('li').filter({ hasText: 'Scripted-0.5B' });
        await row.waitFor({ timeout: 60_000 });
        assert.match(
          await row.innerText(),
          /plays\s+judges\s+not:\s+trains\s+no training: WebLLM computes no gradients/,
        );
        await row.getByRole('button').first().click();
        await page.waitForURL(/judge=webllm%3AScripted-0\.5B/);
        await page.keyboard.press('Escape');
        await page.locator('[data-part=run]').click();
        await reached(page, 'done');
        const [opened, ...events] = await exported(page);
        assert.equal(opened.config.model, 'nano');
        assert.equal(opened.config.judge, 'webllm:Scripted-0.5B-q4f32_1-MLC');
        const judged = events.flatMap((event) => event.steps ?? []).filter(({ judge }) => judge);
        assert.ok(judged.length > 0, 'nothing was judged');
        assert.deepEqual(page.errors, []);
      } finally {
        site.server.close();
      }
    },
  },
];
