// A real Chromium on the built page, with recordings of test data in place of the site's own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../../bin/chromium.mjs';
import { serve } from '../../bin/serve.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const recordings = join(root, 'test/.results/recordings');
export const results = join(root, 'test/.results');

export const SIZES = { desktop: { width: 1280, height: 1100 }, phone: { width: 390, height: 844 } };

export async function open({ dist = join(root, 'test/.results/dist') } = {}) {
  const { server, url } = await serve(dist, { port: 0 });
  // Without a browser of the system, Playwright's own is used, if it was installed.
  const executablePath = chromiumPath();
  const browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath ? { executablePath } : {}) });
  return {
    url,
    browser,
    async page({ size = 'desktop', theme = 'light', recording = ['snake'], script, ...rest } = {}) {
      const context = await browser.newContext({
        viewport: SIZES[size],
        colorScheme: theme,
        deviceScaleFactor: size === 'phone' ? 2 : 1,
        hasTouch: size === 'phone',
        isMobile: size === 'phone',
        ...rest,
      });
      const page = await context.newPage();
      page.errors = [];
      page.on('pageerror', (error) => page.errors.push(String(error)));
      page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
      if (recording !== null) await useRecordings(page, recording);
      if (script)
        await page.route(/\/assets\/lab\.worker-[^/]*\.js$/, (route) =>
          route.fulfill({
            contentType: 'text/javascript',
            body: script,
            headers: { 'Cross-Origin-Embedder-Policy': 'require-corp' },
          }),
        );
      return page;
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Answers the page's requests for recordings from test/.results. */
async function useRecordings(page, names) {
  const index = names.map((name) => ({
    file: `${name}.jsonl`,
    game: `${name === 'many' ? 'snake' : name}-v1`,
    title: `nano on ${name}`,
    note: '',
  }));
  await page.route(/\/recordings\//, (route) => {
    const name = new URL(route.request().url()).pathname.split('/').pop();
    if (name === 'index.json') return route.fulfill({ json: index });
    const path = join(recordings, name);
    return existsSync(path)
      ? route.fulfill({ body: readFileSync(path), contentType: 'application/jsonl' })
      : route.fulfill({ status: 404, body: '' });
  });
}

/** Waits until the page is in that state of a run. */
export const reached = (page, state, timeout = 240_000) =>
  page.locator(`html[data-run-state=${state}]`).waitFor({ timeout });

/** The log's text, as the page's Export gives it. */
export async function exportedText(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-part=export]').click()]);
  return readFileSync(await download.path(), 'utf8');
}

/** The exported log's events. */
export const exported = async (page) =>
  (await exportedText(page))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
