// npm test: finds or installs Chromium, then types, lint, unit, browser and GPU tests, end-to-end tests. Any failure, or a
// suite that ran nothing, fails the whole.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);

function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

/** CHROME_PATH, a browser of the system, Debian's package when root, else Playwright's own download. */
function findChromium() {
  const places = [
    process.env.CHROME_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/microsoft-edge',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ];
  return places.find((path) => path && existsSync(path));
}

function chromium() {
  const found = findChromium();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium from the system’s packages …');
    run('apt-get', ['update', '-q'], { DEBIAN_FRONTEND: 'noninteractive' });
    run('apt-get', ['install', '-y', '-q', 'chromium'], { DEBIAN_FRONTEND: 'noninteractive' });
  } else {
    console.log('Downloading Chromium …');
    run(bin('playwright-core'), ['install', 'chromium-headless-shell']);
  }
  return findChromium();
}

const browser = chromium();
if (browser) process.env.CHROME_PATH = browser;
console.log(`Chromium: ${browser ?? 'Playwright’s own'}`);

const stages = [
  [
    'types',
    () =>
      run(bin('tsc'), ['--noEmit']) &&
      run(bin('svelte-check'), ['--tsconfig', './tsconfig.json', '--fail-on-warnings']),
  ],
  ['lint', () => run(bin('eslint'), ['.']) && run(bin('prettier'), ['--check', '--log-level', 'warn', '.'])],
  ['unit', () => run(bin('vitest'), ['run', '--project', 'unit'])],
  ['browser', () => run(bin('vitest'), ['run', '--project', 'browser'])],
  ['gpu', () => run(bin('vitest'), ['run', '--project', 'gpu'])],
  ['end to end', () => run(process.execPath, ['test/e2e/run.mjs'])],
];

const only = process.argv.slice(2);
const chosen = stages.filter(([name]) => only.length === 0 || only.includes(name));
const results = chosen.map(([name, work]) => {
  const startedMs = Date.now();
  console.log(`\n— ${name}`);
  const ok = work();
  return { name, ok, seconds: Math.round((Date.now() - startedMs) / 1000) };
});
console.log('');
for (const { name, ok, seconds } of results) console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
const failed = results.filter(({ ok }) => !ok).length;
console.log(`stages: ${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;
