// Pictures of every state of the page in both themes and two sizes, for people to look at: test/.results/shots/.
// node test/e2e/screenshots.mjs [name…]; needs a build in test/.results/dist and recordings (record.mjs).
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, reached, results } from './browser.mjs';
import { scriptedLab } from './build.mjs';

const shots = join(results, 'shots');
mkdirSync(shots, { recursive: true });
const only = process.argv.slice(2);

const STATES = {
  opening: async (page) => page.waitForTimeout(1500),
  ended: async (page) => {
    await page.getByText('show the end').click();
    await page.getByText('Training helps').waitFor();
    await page.waitForTimeout(600);
  },
  arms: async (page) => {
    await page.locator('.arms').click();
    await page.waitForTimeout(300);
  },
  settings: async (page) => {
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.waitForTimeout(300);
  },
  lessons: async (page) => {
    await page.getByRole('button', { name: 'Lessons' }).click();
    await page.waitForTimeout(300);
  },
  help: async (page) => {
    await page.keyboard.press('?');
    await page.waitForTimeout(300);
  },
  memory: async (page) => {
    await STATES.ended(page);
    await page.getByText('Read it all').click();
    await page.waitForTimeout(400);
  },
  episodes: async (page) => {
    await STATES.ended(page);
    await page.getByText(/^All \d+ episodes/).click();
    await page.waitForTimeout(400);
  },
  replay: async (page) => {
    await STATES.ended(page);
    await page.locator('[data-part=episodes] table button').first().click();
    await page.waitForTimeout(2500);
  },
  judge: async (page) => {
    await STATES.ended(page);
    await page.getByText('All figures').click();
    await page.waitForTimeout(400);
  },
  reports: async (page) => {
    await STATES.ended(page);
    await page.getByText('Further reports').click();
    await page.getByText('Does its judging drift').waitFor();
    await page.getByText('Further reports').scrollIntoViewIfNeeded();
    await page.waitForTimeout(400);
  },
  words: async (page) => {
    await page.locator('[data-part=pause]').click();
    for (const name of ['Its own words', 'Exact prompt']) await page.getByText(name, { exact: true }).click();
    await page.waitForTimeout(800);
  },
  empty: Object.assign(async (page) => page.waitForTimeout(800), { options: { recording: null } }),
  trust: Object.assign(async (page) => page.waitForTimeout(6000), {
    options: { recording: ['trust'] },
    query: '?v=1&games=trust',
  }),
  tetris: Object.assign(async (page) => page.waitForTimeout(5000), {
    options: { recording: ['tetris'] },
    query: '?v=1&games=tetris',
  }),
  chess: Object.assign(async (page) => page.waitForTimeout(3000), {
    options: { recording: ['chess'] },
    query: '?v=1&games=chess',
  }),
  minesweeper: Object.assign(async (page) => page.waitForTimeout(3500), {
    options: { recording: ['minesweeper'] },
    query: '?v=1&games=minesweeper',
  }),
  nullify: Object.assign(async (page) => page.waitForTimeout(2500), {
    options: { recording: ['nullify'] },
    query: '?v=1&games=nullify',
  }),
  pvz: Object.assign(async (page) => page.waitForTimeout(9000), {
    options: { recording: ['pvz'] },
    query: '?v=1&games=pvz',
  }),
};

const live = (state, query = '?v=1&explore=4&every=2&strict=6&frozenReplicates=2') =>
  Object.assign(
    async (page) => {
      await page.locator('[data-part=run]').click();
      await state(page);
    },
    { options: { lab: true }, query },
  );
Object.assign(STATES, {
  loading: live((page) => page.waitForTimeout(350)),
  running: live(async (page) => {
    await page.getByText('history, exploration episode').waitFor();
    await page.waitForTimeout(2500);
  }),
  paused: live(async (page) => {
    await page.getByText('history, exploration episode').waitFor();
    await page.locator('[data-part=pause]').click();
    await reached(page, 'paused');
    await page.waitForTimeout(500);
  }),
  done: live(async (page) => {
    await reached(page, 'done');
    await page.waitForTimeout(1500);
  }),
  failed: live((page) => page.locator('[data-part=error]').waitFor(), '?v=1&engine=webgpu'),
  runs: live(async (page) => {
    await page.waitForTimeout(1500);
    await page.locator('[data-part=stop]').click();
    await reached(page, 'done');
    await page.locator('[data-part=run]').click();
    await page.waitForTimeout(2500);
    await page.locator('[data-part=stop]').click();
    await reached(page, 'done');
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await page.locator('dialog[open] input[type=checkbox]').nth(1).waitFor();
    for (const box of await page.locator('dialog[open] input[type=checkbox]').all()) await box.check();
    await page.getByText('Compare these two').click();
    await page.waitForTimeout(1500);
  }),
  model: Object.assign(
    async (page) => {
      await page.getByRole('button', { name: 'Model', exact: true }).click();
      await page.getByRole('button', { name: 'Show what this device can run' }).click();
      await page.locator('dialog[open] details').first().waitFor();
      await page.locator('dialog[open] details').last().scrollIntoViewIfNeeded();
      await page.waitForTimeout(800);
    },
    { options: { lab: true } },
  ),
  judges: Object.assign(
    async (page) => {
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.getByRole('button', { name: 'Choose a judge' }).click();
      await page.waitForTimeout(500);
    },
    { options: { lab: true } },
  ),
  // With the site's own model: a script has no gradient.
  proof: Object.assign(
    async (page) => {
      await page.locator('[data-part=run]').click();
      await reached(page, 'done');
      await page.getByRole('button', { name: 'Read it all' }).click();
      await page.getByRole('button', { name: 'Check the gradient' }).click();
      await page.locator('[data-verdict]').waitFor({ timeout: 60_000 });
      await page.getByText('Figures, part by part').click();
      await page.locator('[data-part=proof]').scrollIntoViewIfNeeded();
      await page.waitForTimeout(300);
    },
    {
      query:
        '?v=1&games=trust&explore=2&every=1&strict=3&frozenReplicates=1&pathways=frozen,training&keep=episodes&trainSteps=3',
      options: { recording: [] },
    },
  ),
  many: Object.assign(
    async (page) => {
      await page.getByText('show the end').click();
      await page.locator('[data-part=verdict] li').nth(4).waitFor();
      await page.waitForTimeout(800);
      await page.getByText('Why: against').click();
      await page.getByText('Table of this chart').click();
    },
    {
      options: { recording: ['many'] },
      query:
        '?v=1&pathways=frozen,history,history-ranked,history-shuffled,summary,training,training-random,frozen-sharp',
    },
  ),
  badurl: Object.assign(async (page) => page.waitForTimeout(500), {
    query: '?v=9&strict=-4&temperature=hot&games=snake',
  }),
});

const chosen = Object.entries(STATES).filter(
  ([name]) => only.length === 0 || only.some((one) => one.split('@')[0] === name),
);
const variants = ['light', 'dark'].flatMap((theme) => ['desktop', 'phone'].map((size) => ({ theme, size })));
const { url, page: newPage, close } = await open();
for (const [name, state] of chosen) {
  const wanted = only.filter((one) => one.startsWith(`${name}@`)).map((one) => one.split('@')[1]);
  for (const { theme, size } of variants.filter(
    (one) => wanted.length === 0 || wanted.includes(`${one.theme}-${one.size}`),
  )) {
    const { lab, ...options } = state.options ?? {};
    const page = await newPage({ theme, size, ...options, ...(lab ? { script: scriptedLab() } : {}) });
    await page.goto(`${url}${state.query ?? ''}`);
    try {
      if (state.options?.recording !== null && state.options?.recording?.length !== 0)
        await page.locator('[data-part=board] svg, [data-part=board] pre').first().waitFor();
      await state(page);
    } catch (error) {
      console.log(`${name} ${theme} ${size}: ${String(error).split('\n')[0]}`);
    }
    await page.screenshot({
      path: join(shots, `${name}-${theme}-${size}.png`),
      fullPage: !(await page.locator('dialog[open]').count()),
    });
    if (page.errors.length > 0) console.log(`${name} ${theme} ${size}:`, page.errors);
    await page.context().close();
  }
}
await close();
