// The whole of it with the site's own model: a live run, cut by a reload, goes on to the end; its log verifies, and its
// copy says the same. S3_TEST_MODEL=DIR takes another model's folder in place of public/models/nano.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exported, exportedText, reached, results } from './browser.mjs';

const own = fileURLToPath(new URL('../../public/models/nano', import.meta.url));
const folder = process.env.S3_TEST_MODEL ?? own;
const built = join(results, 'dist/models/nano/model.safetensors');
const unless = () =>
  existsSync(join(folder, 'model.safetensors')) && (folder !== own || existsSync(built)) ? null : 'there is no model';

const QUESTION =
  '?v=1&games=trust&pathways=frozen,history&explore=4&every=2&strict=7&frozenReplicates=2&split=strict&autorun=1';
const verdictOf = (page) => page.locator('[data-part=verdict] > ul').innerText();
const eventsOf = async (page) => Number((await page.locator('[data-part=log] p').first().innerText()).match(/\d+/)[0]);

async function withModel(page) {
  if (folder === own) return;
  await page.route(/\/models\/nano\/[^/]+$/, (route) => {
    const name = new URL(route.request().url()).pathname.split('/').pop();
    const path = join(folder, name);
    if (name === 'manifest.json') return route.fulfill({ json: manifestOf(folder) });
    return existsSync(path)
      ? route.fulfill({ body: readFileSync(path), contentType: 'application/octet-stream' })
      : route.fulfill({ status: 404, body: '' });
  });
}

/** Another model in nano's place brings its own list. */
function manifestOf(from) {
  const names = readdirSync(from).filter(
    (name) => /\.(json|safetensors|jinja)$/.test(name) && name !== 'manifest.json',
  );
  const entry = (name) => {
    const bytes = readFileSync(join(from, name));
    return [name, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }];
  };
  return { format: 1, files: Object.fromEntries(names.map(entry)) };
}

const TINY = '?v=1&games=trust&explore=1&every=1&strict=3&frozenReplicates=1&pathways=frozen,history';

export default [
  {
    name: 'live: proof of training: hashes, and a gradient that finite differences confirm, after a run and after a reload',
    unless,
    timeoutMs: 240_000,
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: [] });
      await withModel(page.context());
      await page.goto(`${url}${TINY.replace('history', 'training')}&keep=episodes&trainSteps=2`);
      await page.locator('[data-part=run]').click();
      await reached(page, 'done');
      const prove = async () => {
        await page.getByRole('button', { name: 'Read it all' }).click();
        const proof = page.locator('[data-part=proof]');
        await proof.getByRole('button', { name: 'Check the gradient' }).click();
        await proof.locator('[data-verdict]').waitFor({ timeout: 60_000 });
        assert.equal(await proof.locator('[data-verdict]').getAttribute('data-verdict'), 'agrees');
        const words = await proof.innerText();
        assert.match(words, /before, \S+ now: changed \(the model holds it\)/);
        assert.match(words, /after the update and in memory now: unchanged/);
        assert.match(words, /The gradient is right \(layer \d+, v_proj, B\)/);
        assert.equal(await proof.locator('tbody tr').count(), 8);
      };
      await prove();
      await page.reload();
      await page.getByRole('button', { name: 'Runs', exact: true }).click();
      await page.locator('dialog[open] td .link').first().click();
      await reached(page, 'done');
      await prove();
      assert.deepEqual(page.errors, []);
    },
  },
  {
    name: 'live: a model from this computer is put on the shelf, asked, played, found again after a reload, deleted',
    unless,
    timeoutMs: 240_000,
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: [] });
      await page.goto(`${url}${TINY}`);
      await page.getByRole('button', { name: 'Model', exact: true }).click();
      const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'];
      await page
        .locator('dialog[open] input[type=file]')
        .first()
        .setInputFiles(names.map((name) => join(folder, name)));
      await page.getByText('from this computer', { exact: false }).first().waitFor({ timeout: 60_000 });
      await page.getByRole('button', { name: 'Ask model' }).and(page.locator(':disabled')).waitFor();
      assert.match(page.url(), /model=local%3Amodel/);
      await page.keyboard.press('Escape');
      // Nothing of it comes over the net: the page's own nano isn't served here.
      await page.locator('[data-part=run]').click();
      await reached(page, 'done');
      const [opened] = await exported(page);
      assert.equal(opened.config.model, 'local:model');
      await page.reload();
      await page.getByRole('button', { name: 'Model', exact: true }).click();
      await page.getByRole('button', { name: 'Delete model' }).click();
      await page.getByRole('button', { name: 'Delete model for good' }).click();
      await page.getByRole('button', { name: 'Ask model' }).waitFor({ state: 'detached' });
      assert.deepEqual(page.errors, []);
    },
  },
  {
    name: 'live: autorun, reload in the middle, on to the end; verified, exported and imported with the same numbers',
    unless,
    timeoutMs: 600_000,
    async run({ url, page: newPage }) {
      const page = await newPage({ recording: [] });
      // A route of the context reaches the requests of workers, too.
      await withModel(page.context());
      await page.goto(`${url}${QUESTION}`);
      await reached(page, 'running');
      await page.locator('[data-part=board] svg').waitFor({ timeout: 120_000 });
      await page.waitForFunction(() => /\d+/.exec(document.querySelector('[data-part=log] p').innerText)[0] > 9, null, {
        timeout: 240_000,
      });
      const before = await eventsOf(page);
      await page.reload();
      await page.waitForFunction(
        (n) => /\d+/.exec(document.querySelector('[data-part=log] p').innerText)[0] >= n,
        before,
      );
      await reached(page, 'done');
      await page.locator('[data-part=verdict] > ul li').first().waitFor();
      const verdict = await verdictOf(page);
      assert.match(verdict, /History.*(\(.* to .*\)|no difference)/s, `no interval: ${verdict}`);
      assert.deepEqual(page.errors, []);

      const text = await exportedText(page);
      const types = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).type);
      assert.equal(types.filter((type) => type === 'run.opened').length, 1, 'it began anew instead of going on');
      assert.ok(types.includes('run.resumed'));
      assert.equal(types.at(-1), 'run.closed');

      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Verified:').waitFor({ timeout: 120_000 });

      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.locator('[data-part=import]').click(),
      ]);
      await chooser.setFiles({ name: 'log.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
      await page.waitForFunction(() => document.documentElement.dataset.runState === 'done');
      await page.locator('[data-part=verdict] > ul li').first().waitFor();
      assert.equal(await verdictOf(page), verdict);
    },
  },
];
