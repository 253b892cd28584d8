// Page tests in a real Chromium on the built page. Prints "N passed, N failed"; fails, too, when nothing ran.
// node test/e2e/run.mjs [--no-build] [words of a test's name…]
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { open } from './browser.mjs';
import { buildPage, buildScriptedLab } from './build.mjs';
import { folder, record } from './record.mjs';

const args = process.argv.slice(2);
const words = args.filter((arg) => !arg.startsWith('--'));
const here = fileURLToPath(new URL('.', import.meta.url));

if (!args.includes('--no-build')) {
  await buildPage();
  await buildScriptedLab();
}
if (!existsSync(join(folder, 'snake.jsonl')) || !args.includes('--no-build')) await record(['snake', 'trust']);

const tests = [];
for (const file of readdirSync(here)
  .filter((name) => name.endsWith('.test.mjs'))
  .sort()) {
  const { default: list } = await import(pathToFileURL(join(here, file)).href);
  tests.push(...list.map((test) => ({ ...test, file })));
}

const chosen = tests.filter(({ name }) => words.every((word) => name.includes(word)));
const chromium = await open();
let passed = 0;
let skipped = 0;
const failed = [];
for (const { name, file, run, unless, timeoutMs = 60_000 } of chosen) {
  const reason = unless?.();
  if (reason) {
    skipped++;
    console.log(`skip  ${file}: ${name} (${reason})`);
    continue;
  }
  const pages = [];
  const started = Date.now();
  let timer;
  try {
    const tools = {
      url: chromium.url,
      browser: chromium.browser,
      page: async (options) => {
        const page = await chromium.page(options);
        pages.push(page);
        return page;
      },
    };
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${timeoutMs / 1000} s`)), timeoutMs);
    });
    await Promise.race([run(tools), late]);
    passed++;
    console.log(`ok    ${file}: ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed.push(name);
    console.log(
      `FAIL  ${file}: ${name}\n      ${String(error.stack ?? error)
        .split('\n')
        .slice(0, 12)
        .join('\n      ')}`,
    );
  } finally {
    clearTimeout(timer);
    for (const page of pages)
      await page
        .context()
        .close()
        .catch(() => undefined);
  }
}
await chromium.close();
console.log(`${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed.length > 0 || passed === 0 ? 1 : 0;
