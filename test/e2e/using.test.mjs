// Using the page: keyboard, address, settings, a scripted run from Run to done, export and import, errors, reload.
import assert from 'node:assert/strict';
import { exportedText, reached } from './browser.mjs';
import { scriptedLab } from './build.mjs';

const SMALL = '?v=1&explore=2&every=2&strict=6&frozenReplicates=2&pathways=frozen,history';
const verdictOf = (page) => page.locator('[data-part=verdict] > ul').innerText();

export default [
  {
    name: 'keyboard: space runs, pauses and goes on; right arrow plays one episode; ? helps',
    async run({ url, page: newPage }) {
      const page = await newPage({ script: scriptedLab() });
      await page.goto(`${url}${SMALL}`);
      await reached(page, 'recorded');
      await page.keyboard.press('Space');
      await reached(page, 'running');
      await page.locator('[data-part=board] svg').waitFor();
      await page.keyboard.press('Space');
      await reached(page, 'paused');
      const count = () => page.locator('[data-part=log] p').first().innerText();
      const before = await count();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((text) => document.querySelector('[data-part=log] p').innerText !== text, before);
      await reached(page, 'paused');
      await page.keyboard.press('Space');
      await reached(page, 'running');
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      await page.keyboard.press('Escape');
      await page
        .locator('dialog[open]')
        .waitFor({ state: 'detached' })
        .catch(() => undefined);
      assert.equal(await page.locator('dialog[open]').count(), 0);
      await reached(page, 'done');
      assert.match(await verdictOf(page), /History.*\(.* to /s);
    },
  },
  {
    name: 'keyboard: the arms open, toggle and close, and focus comes back',
    async run({ url, page: newPage }) {
      const page = await newPage();
      await page.goto(url);
      await page.locator('.arms').focus();
      await page.keyboard.press('Enter');
      await page.locator('[popover] input').first().waitFor();
      await page.waitForFunction(() => document.activeElement?.matches('[popover] input'));
      await page.keyboard.press('Space');
      await page.waitForFunction(() => !document.querySelector('.arms').innerText.includes('history'));
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => document.activeElement?.classList.contains('arms'));
      assert.match(page.url(), /pathways=frozen,summary,training/);
    },
  },
  {
    name: 'every control has a visible focus',
    async run({ url, page: newPage }) {
      const page = await newPage();
      await page.goto(url);
      await page.locator('[data-part=board] svg').waitFor();
      await page.locator('[data-part=pause]').click();
      for (let i = 0; i < 16; i++) {
        await page.keyboard.press('Tab');
        const seen = await page.evaluate(() => {
          const element = document.activeElement;
          const shown = element?.matches('select')
            ? (element.parentElement?.querySelector('.shown') ?? element)
            : element;
          const { outlineStyle, outlineWidth } = getComputedStyle(shown);
          return { name: element?.outerHTML.slice(0, 60), ok: outlineStyle !== 'none' && outlineWidth !== '0px' };
        });
        if (seen.name.startsWith('<body')) break;
        assert.ok(seen.ok, `no focus ring: ${seen.name}`);
      }
    },
  },
  {
    name: 'the address holds what differs from the defaults, and gives it back',
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: ['snake', 'trust'] });
      await page.goto(`${url}?v=1&games=trust&strict=12&temperature=0.9`);
      assert.equal(await page.getByLabel('Game', { exact: true }).inputValue(), 'trust-v1');
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      const strict = page.locator('dialog[open]').getByLabel('Held-out instances');
      assert.equal(await strict.inputValue(), '12');
      await strict.fill('30');
      await strict.blur();
      await page.waitForFunction(() => !location.search.includes('strict'));
      const explore = page.locator('dialog[open]').getByLabel('Exploration episodes');
      await explore.fill('-3');
      await explore.blur();
      await page.getByText('explore=-3: expected a whole number').waitFor();
      await explore.fill('6');
      await explore.blur();
      await page.waitForFunction(() => location.search.includes('explore=6'));
      await page.reload();
      assert.match(page.url(), /\?v=1&games=trust-v1&explore=6&temperature=0\.9$/);
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.locator('dialog[open]').getByText('Back to the defaults').click();
      await page.waitForFunction(() => location.search === '');
    },
  },
  {
    name: 'the game in the question changes what is shown',
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: ['snake', 'trust'] });
      await page.goto(url);
      await page.locator('[data-part=board] svg').waitFor();
      await page.getByLabel('Game', { exact: true }).selectOption('trust-v1');
      await page.locator('[data-part=board] svg[aria-label^=Trust]').waitFor();
      await page.getByLabel('Game', { exact: true }).selectOption('chess-v1');
      await reached(page, 'idle');
    },
  },
  {
    name: 'autorun runs to done; export and import give the same verdict; runs can be compared',
    timeoutMs: 120_000,
    async run({ url, page: newPage }) {
      const page = await newPage({ script: scriptedLab() });
      await page.goto(`${url}${SMALL}&autorun=1`);
      await reached(page, 'running');
      await reached(page, 'done');
      await page.locator('[data-part=verdict] > ul li').first().waitFor();
      const verdict = await verdictOf(page);
      const text = await exportedText(page);
      assert.equal(JSON.parse(text.split('\n')[0]).type, 'run.opened');
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.locator('[data-part=import]').click(),
      ]);
      await chooser.setFiles({ name: 'log.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
      await page.waitForFunction(() => document.documentElement.dataset.runState === 'done');
      await page.locator('[data-part=verdict] > ul li').first().waitFor();
      assert.equal(await verdictOf(page), verdict);
      await page.getByRole('button', { name: 'Runs', exact: true }).click();
      await page.locator('dialog[open] input[type=checkbox]').nth(1).waitFor();
      for (const box of await page.locator('dialog[open] input[type=checkbox]').all()) await box.check();
      await page.getByText('Compare these two').click();
      await page
        .getByText(/over frozen .* to /)
        .first()
        .waitFor();
      assert.deepEqual(page.errors, []);
    },
  },
  {
    name: 'a bad import is a card with code and hint, and the page lives on',
    async run({ url, page: newPage }) {
      const page = await newPage({ script: scriptedLab() });
      await page.goto(url);
      await page.locator('[data-part=board] svg').waitFor();
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.locator('[data-part=import]').click(),
      ]);
      await chooser.setFiles({ name: 'x.jsonl', mimeType: 'text/plain', buffer: Buffer.from('no log') });
      const card = page.locator('[data-part=error]');
      await card.getByText('import/not-json').waitFor();
      await card.getByText('Choose a log').waitFor();
      await card.getByRole('button', { name: 'Dismiss' }).click();
      assert.equal(await card.count(), 0);
      const before = await page.locator('section dl').innerText();
      await page.waitForFunction((text) => document.querySelector('section dl').innerText !== text, before);
    },
  },
  {
    name: 'a dropped log is opened',
    async run({ url, page: newPage }) {
      const page = await newPage({ script: scriptedLab() });
      await page.goto(url);
      await page.locator('[data-part=board] svg').waitFor();
      const data = await page.evaluateHandle(async () => {
        const text = await (await fetch('recordings/snake.jsonl')).text();
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], 'log.jsonl'));
        return transfer;
      });
      await page.dispatchEvent('main', 'dragover', { dataTransfer: data });
      await page.getByText('Drop a log').waitFor();
      await page.dispatchEvent('main', 'drop', { dataTransfer: data });
      await reached(page, 'done');
    },
  },
  {
    name: 'a failed run shows its error and can be tried again',
    async run({ url, page: newPage }) {
      const page = await newPage({ script: scriptedLab() });
      await page.goto(`${url}?v=1&engine=webgpu&autorun=1`);
      await reached(page, 'failed');
      await page.locator('[data-part=error]').getByText('gpu/no-adapter').waitFor();
      assert.equal(await page.locator('[data-part=run]').innerText(), 'Try again');
    },
  },
  {
    name: 'a lab that dies is a card, not a dead page',
    async run({ url, page: newPage }) {
      const page = await newPage({ script: 'throw new Error("broken on purpose")' });
      await page.goto(url);
      await page.locator('[data-part=run]').click();
      await page
        .locator('[data-part=error]')
        .getByText(/worker\//)
        .waitFor();
      await reached(page, 'failed');
    },
  },
  {
    name: 'the theme can be chosen and is kept',
    async run({ url, page: newPage }) {
      const page = await newPage({ theme: 'light' });
      await page.goto(url);
      const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await paper();
      await page.getByRole('button', { name: 'Use the dark theme' }).click();
      assert.notEqual(await paper(), light);
      await page.reload();
      assert.notEqual(await paper(), light);
      await page.getByRole('button', { name: 'Use the light theme' }).click();
      assert.equal(await paper(), light);
    },
  },
  {
    name: 'phone: the run bar stays at the bottom, targets are 44 pixels, nothing scrolls sideways',
    async run({ url, page: newPage }) {
      const page = await newPage({ size: 'phone' });
      await page.goto(url);
      await page.locator('[data-part=board] svg').waitFor();
      for (const part of ['run', 'pause', 'step', 'stop', 'export', 'import']) {
        const box = await page.locator(`[data-part=${part}]`).boundingBox();
        assert.ok(box.height >= 44, `${part} is ${box.height} high`);
      }
      const run = await page.locator('[data-part=run]').boundingBox();
      assert.ok(run.y > 700, `run bar at ${run.y}`);
      await page.evaluate(() => scrollTo(0, 1200));
      assert.equal((await page.locator('[data-part=run]').boundingBox()).y, run.y);
      await page.getByText('show the end').click();
      await page.locator('[data-part=verdict] li').nth(2).waitFor();
      for (const name of ['Table of this chart', 'Why: against', 'Exact prompt']) await page.getByText(name).click();
      await page.waitForTimeout(500);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    },
  },
];
