// Two tabs of one browser: one computes, the other says who does, since when, and what to do; then it is its turn.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reached, results } from './browser.mjs';

const unless = () => (existsSync(join(results, 'dist/models/nano/model.safetensors')) ? null : 'there is no model');
const LONG = '?v=1&games=trust&explore=40&every=20&strict=4&frozenReplicates=1&pathways=frozen,history';

export default [
  {
    name: 'live: two tabs: the second says which run the first has, since when, and what to do; then it runs itself',
    unless,
    timeoutMs: 300_000,
    async run({ url, page: newPage }) {
      const first = await newPage({ recording: [] });
      await first.goto(`${url}${LONG}`);
      await first.locator('[data-part=run]').click();
      await reached(first, 'running');
      await first.locator('[data-part=board] svg').waitFor({ timeout: 60_000 });
      const since = new Date();

      const second = await first.context().newPage();
      await second.goto(`${url}${LONG}`);
      await second.locator('[data-part=run]').click();
      const card = second.locator('[data-part=error]');
      await card.waitFor({ timeout: 60_000 });
      const words = await card.innerText();
      const [, run, hour, minute] = /Another tab runs “(.*)” since (\d\d):(\d\d)/.exec(words) ?? [];
      assert.equal(run, 'Trust: Frozen, History', words);
      const apart = since.getHours() * 60 + since.getMinutes() - (Number(hour) * 60 + Number(minute));
      assert.ok(apart >= 0 && apart <= 2, `${words} (now ${since})`);
      assert.match(words, /wait for it, or stop it there/);
      assert.match(words, /storage\/locked/);
      await reached(second, 'failed');

      // The first goes on as if nothing had been, until it is stopped.
      assert.equal(await first.locator('html').getAttribute('data-run-state'), 'running');
      assert.equal(await first.locator('[data-part=error]').count(), 0);
      await first.locator('[data-part=stop]').click();
      await reached(first, 'done');
      await second.getByRole('button', { name: 'Try again' }).click();
      await reached(second, 'running');
      await second.locator('[data-part=board] svg').waitFor({ timeout: 60_000 });
      assert.equal(await card.count(), 0);
      await second.locator('[data-part=stop]').click();
      await reached(second, 'done');
    },
  },
];
