// The first seconds: what is loaded, in what order, from where; and that recorded text is text.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { serve } from '../../bin/serve.mjs';
import { results } from './browser.mjs';
import { folder } from './record.mjs';

const board = '[data-part=board] svg';

export default [
  {
    name: 'JavaScript before the first move is at most 150 KB gzip, and charts come after it',
    async run({ url, page: newPage }) {
      const page = await newPage();
      await page.addInitScript(() => {
        const look = () => {
          if (document.querySelector('[data-part=board] svg .head')) window.firstMoveAt = performance.now();
          else requestAnimationFrame(look);
        };
        look();
      });
      const sizes = new Map();
      page.on('response', async (response) => {
        if (!response.url().endsWith('.js')) return;
        sizes.set(response.url(), gzipSync(await response.body()).length);
      });
      await page.goto(url);
      await page.locator('[data-part=curve] svg').waitFor();
      const { firstMoveAt, plotAt } = await page.evaluate(() => ({
        firstMoveAt: window.firstMoveAt,
        plotAt: performance.getEntriesByType('resource').find((entry) => /\/plot-/.test(entry.name))?.startTime,
      }));
      assert.ok(firstMoveAt > 0, 'nothing moved');
      assert.ok(plotAt > firstMoveAt, `charts at ${plotAt} ms, first move at ${firstMoveAt} ms`);
      const before = [...sizes].filter(([name]) => !/\/plot-/.test(name));
      const total = before.reduce((sum, [, bytes]) => sum + bytes, 0);
      console.log(
        `      ${Math.round(total / 1000)} KB gzip in ${before.length} scripts, first move at ${Math.round(firstMoveAt)} ms`,
      );
      assert.ok(total <= 150_000, `${total} bytes`);
    },
  },
  {
    name: 'opens on a recorded run that moves; pause, one episode and the end work on it',
    async run({ url, page: newPage }) {
      const page = await newPage();
      await page.goto(url);
      await page.locator('html[data-run-state=recorded]').waitFor();
      await page.locator(board).waitFor();
      await page.getByText('recorded run').waitFor();
      const step = page.locator('section:has(> [data-part=board]), section:has([data-part=board]) dl');
      const first = await step.last().innerText();
      await page.waitForFunction((before) => document.querySelector('section dl').innerText !== before, first);
      await page.locator('[data-part=pause]').click();
      await page.waitForTimeout(600);
      const still = await page.locator('section dl').innerText();
      await page.waitForTimeout(900);
      assert.equal(await page.locator('section dl').innerText(), still, 'moved while paused');
      await page.locator('[data-part=step]').click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      assert.equal(await page.locator('[data-part=episodes] tbody tr').count(), 1);
      await page.getByText('show the end').click();
      await page.locator('[data-part=verdict] li').nth(2).waitFor();
      const verdicts = await page.locator('[data-part=verdict] > ul li').allInnerTexts();
      for (const text of verdicts) assert.match(text, /\(.*\d.* to .*\d.*\)/, `no interval: ${text}`);
    },
  },
  {
    name: 'nothing is asked of any other origin, and nothing breaks the content policy',
    async run({ url, page: newPage }) {
      const page = await newPage();
      const foreign = [];
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== new URL(url).origin && !['data:', 'blob:'].includes(protocol)) foreign.push(request.url());
      });
      await page.addInitScript(() => {
        window.broken = [];
        document.addEventListener('securitypolicyviolation', (event) => window.broken.push(event.violatedDirective));
      });
      await page.goto(url);
      await page.getByText('show the end').click();
      await page.locator('[data-part=verdict] li').nth(2).waitFor();
      await page.locator('[data-part=episodes] table button').first().click();
      await page.locator('dialog[open] svg').waitFor();
      assert.deepEqual(foreign, []);
      assert.deepEqual(await page.evaluate(() => window.broken), []);
      assert.deepEqual(page.errors, []);
    },
  },
  {
    name: 'text of a log is text, never HTML',
    async run({ url, page: newPage }) {
      const page = await newPage();
      const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
      const lines = readFileSync(join(folder, 'snake.jsonl'), 'utf8').split('\n').slice(0, 400);
      const body = lines
        .filter((line) => line !== '')
        .map((line) => {
          const event = JSON.parse(line);
          if (event.type === 'episode')
            for (const step of event.steps) step.completion = step.feedback = step.action = evil;
          if (event.type === 'consolidation') event.sentence = event.memory = evil;
          return JSON.stringify(event);
        })
        .join('\n');
      await page.route(/snake\.jsonl$/, (route) => route.fulfill({ body, contentType: 'application/jsonl' }));
      await page.goto(url);
      await page.getByText('show the end').click();
      await page.getByText(evil).first().waitFor();
      await page.getByText('Read it all').click();
      await page.locator('dialog[open] pre').first().waitFor();
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      assert.equal(await page.locator('img').count(), 0);
    },
  },
  {
    name: 'works under a sub-path and without isolation headers',
    async run({ page: newPage }) {
      const { mkdtempSync, symlinkSync, cpSync } = await import('node:fs');
      void symlinkSync;
      const site = mkdtempSync(join(results, 'site-'));
      cpSync(join(results, 'dist'), join(site, 'some/where'), { recursive: true });
      const { server, url } = await serve(site, { port: 0, bare: true });
      try {
        const page = await newPage();
        await page.goto(`${url}some/where/`);
        await page.locator(board).waitFor();
        assert.equal(await page.evaluate(() => crossOriginIsolated), false);
        assert.deepEqual(page.errors, []);
      } finally {
        server.close();
      }
    },
  },
  {
    name: 'without a recording it is idle and says what Run will do',
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: [] });
      await page.goto(url);
      await page.locator('html[data-run-state=idle]').waitFor();
      await page.getByText('Press Run').waitFor();
    },
  },
  {
    name: 'the server keeps to its folder',
    async run({ url }) {
      for (const path of [
        '../package.json',
        '..%2fpackage.json',
        '%2e%2e/package.json',
        'assets/../../dist/../shots',
      ]) {
        const response = await fetch(`${url}${path}`);
        assert.ok(response.status === 404, `${path}: ${response.status}`);
      }
      assert.ok(existsSync(join(results, 'dist/index.html')));
      assert.equal((await fetch(url)).headers.get('cross-origin-embedder-policy'), 'require-corp');
    },
  },
];
