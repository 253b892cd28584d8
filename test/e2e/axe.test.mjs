// axe-core on the page's states, in both themes and sizes: no serious or critical violation.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const STATES = {
  recorded: async (page) => {
    await page.getByText('show the end').click();
    await page.locator('[data-part=verdict] li').nth(2).waitFor();
    for (const name of ['Table of this chart', 'Exact prompt']) await page.getByText(name).click();
  },
  settings: async (page) => page.getByRole('button', { name: 'Settings', exact: true }).click(),
  arms: async (page) => page.locator('.arms').click(),
  episodes: async (page) => {
    await page.getByText('show the end').click();
    await page.getByText(/^All \d+ episodes/).click();
    await page.locator('dialog[open] tbody tr').first().waitFor();
  },
  replay: async (page) => {
    await page.getByText('show the end').click();
    await page.locator('[data-part=episodes] table button').first().click();
    await page.locator('dialog[open] svg').waitFor();
  },
  'error card': async (page) => page.locator('[data-part=error]').waitFor(),
};

export default Object.entries(STATES).flatMap(([name, reach]) =>
  ['light', 'dark'].map((theme) => ({
    name: `accessibility: ${name}, ${theme}`,
    async run({ url, page: newPage }) {
      const page = await newPage({ theme, size: name === 'settings' ? 'phone' : 'desktop', bypassCSP: true });
      await page.goto(`${url}${name === 'error card' ? '?v=2' : ''}`);
      await page.locator('[data-part=board] svg').waitFor();
      await reach(page);
      await page.waitForTimeout(300);
      await page.addScriptTag({ path: axe });
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const bad = violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map(({ target, failureSummary }) => `${target} ${failureSummary}`)
              .slice(0, 4)
              .join(' | ')}`,
        );
      assert.deepEqual(bad, []);
    },
  })),
);
