// A real tab is killed twenty times in the middle of a run: nothing that was stored is lost, and the log at the end is the
// log of a run that nobody disturbed.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exported, reached, results } from './browser.mjs';

const KILLS = 20;
const QUESTION =
  '?v=1&games=trust&pathways=frozen,history,summary,training&explore=6&every=3&strict=10&frozenReplicates=2&split=strict&threads=1';
const unless = () => (existsSync(join(results, 'dist/models/nano/model.safetensors')) ? null : 'there is no model');
const count = (page) =>
  page.evaluate(() => Number(/\d+/.exec(document.querySelector('[data-part=log] p')?.innerText ?? '')?.[0] ?? 0));

/** What is the same in an undisturbed run: all but numbers of lines, links, times, the machine, and pauses. */
function essence(events) {
  const bare = (value) =>
    Array.isArray(value)
      ? value.map(bare)
      : value && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([key]) => !/Ms$/.test(key) && !['n', 'prev', 'at', 'host'].includes(key))
              .map(([key, one]) => [key, bare(one)]),
          )
        : value;
  return events
    .filter(({ type }) => !['run.paused', 'run.resumed'].includes(type))
    .map((event) => {
      const { episodes, ...rest } = bare(event);
      // Numbers of lines, too.
      return event.type === 'checkpoint' ? rest : { ...rest, ...(episodes === undefined ? {} : { episodes }) };
    });
}

/** Waits until the log has more lines than `before`, at most `timeout`; resolves to how many. */
async function grown(page, before, timeout = 60_000) {
  const late = Date.now() + timeout;
  for (;;) {
    const now = await count(page);
    if (now > before) return now;
    assert.ok(Date.now() < late, `the log stays at ${now} lines`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export default [
  {
    name: 'kill: a tab killed twenty times in a run loses nothing',
    unless,
    timeoutMs: 900_000,
    async run({ url, page: newPage }) {
      const first = await newPage({ recording: [] });
      const context = first.context();
      let page = first;
      await page.goto(`${url}${QUESTION}&autorun=1`);
      let known = 0;
      let kills = 0;
      while (kills < KILLS) {
        // At another point of the work each time: some lines further, then some milliseconds into the next.
        for (let more = 1 + (kills % 3); more > 0; more--) known = Math.max(known, await grown(page, known));
        await new Promise((resolve) => setTimeout(resolve, (kills * 37) % 110));
        if ((await page.locator('html').getAttribute('data-run-state')) === 'done') break;
        known = Math.max(known, await count(page));
        const gone = page.waitForEvent('crash');
        const session = await context.newCDPSession(page);
        session.send('Page.crash').catch(() => undefined);
        await gone;
        kills++;
        const dead = page;
        page = await context.newPage();
        await dead.close();
        await page.goto(`${url}${QUESTION}`);
        await page.getByRole('button', { name: 'Go on with it' }).click({ timeout: 30_000 });
        await page.waitForFunction(
          (n) => Number(/\d+/.exec(document.querySelector('[data-part=log] p')?.innerText ?? '')?.[0] ?? 0) >= n,
          known,
          { timeout: 30_000 },
        );
      }
      assert.equal(kills, KILLS, `the run was over after ${kills} kills`);
      await reached(page, 'done');
      const disturbed = await exported(page);
      assert.ok(disturbed.filter(({ type }) => type === 'run.resumed').length >= 1);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Verified:').waitFor({ timeout: 120_000 });

      const calm = await newPage({ recording: [] });
      await calm.goto(`${url}${QUESTION}&autorun=1`);
      await reached(calm, 'done');
      assert.deepEqual(essence(disturbed), essence(await exported(calm)));
    },
  },
];
