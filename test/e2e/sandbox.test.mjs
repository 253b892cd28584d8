// User-made games reach no other site: neither by fetch nor by import(), on our server and on a static host that sends no
// header of its own; where there is no policy at all they are not loaded. The other site counts who asked it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { serve } from '../../bin/serve.mjs';
import { buildUserGame } from './build.mjs';

async function elsewhere() {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const open = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
    response.writeHead(200, { ...open, 'Content-Type': 'text/javascript' }).end('export default 1');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/x.js`, asked: () => asked };
}

/** What became of both ways out. */
const tries = (url) => `globalThis.found = [
  await import('${url}').then(() => 'loaded', () => 'refused'),
  await (async () => (await fetch('${url}')).status)().catch(() => 'refused'),
]`;

async function play(newPage, { guarded, bare }) {
  const other = await elsewhere();
  const { server, url } = await serve(await buildUserGame(guarded), { port: 0, bare });
  try {
    const page = await newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'play' in window);
    // The site is there for whoever may ask.
    if (!guarded) assert.equal(await page.evaluate((to) => fetch(to).then(({ status }) => status), other.url), 200);
    const before = other.asked();
    const found = await page.evaluate((extra) => window.play(extra), tries(other.url));
    return { found, asked: other.asked() - before };
  } finally {
    server.close();
    other.server.close();
  }
}

export default [true, false].map((bare) => ({
  name: `a user-made game: fetch and import() from elsewhere fail ${bare ? 'on a host without headers' : 'on our server'}`,
  async run({ page }) {
    assert.deepEqual(await play(page, { guarded: true, bare }), { found: 'invalid: refused,refused', asked: 0 });
    if (bare) assert.deepEqual(await play(page, { guarded: false, bare }), { found: 'game/no-policy', asked: 0 });
  },
}));
