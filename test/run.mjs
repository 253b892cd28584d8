// npm test: finds or installs Chromium, then types, lint, unit, browser and GPU tests, end-to-end tests. Any failure, or a
// suite that ran nothing, fails the whole.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumPath } from '../bin/chromium.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);

function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

/** Names of failed tests, for the end of a long output. */
const failures = [];

function vitest(project) {
  const file = join(mkdtempSync(join(tmpdir(), 's3-')), 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const ok = run(bin('vitest'), ['run', '--project', project, ...reporters]);
  if (!ok && existsSync(file)) {
    for (const { name, assertionResults, message } of JSON.parse(readFileSync(file, 'utf8')).testResults) {
      if (assertionResults.length === 0 && message) failures.push(`${relative(root, name)}: ${message}`);
      for (const one of assertionResults.filter(({ status }) => status === 'failed')) {
        failures.push(`${relative(root, name)}: ${one.fullName}: ${one.failureMessages[0]?.split('\n')[0]}`);
      }
    }
  }
  return ok;
}

/** A browser of the machine, Debian's package when root, else Playwright's own download. */
function chromium() {
  const found = chromiumPath();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium from the system’s packages …');
    run('apt-get', ['update', '-q'], { DEBIAN_FRONTEND: 'noninteractive' });
    run('apt-get', ['install', '-y', '-q', 'chromium'], { DEBIAN_FRONTEND: 'noninteractive' });
  } else {
    console.log('Downloading Chromium …');
    run(bin('playwright-core'), ['install', 'chromium-headless-shell']);
  }
  return chromiumPath();
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
  ['unit', () => vitest('unit')],
  ['browser', () => vitest('browser')],
  ['gpu', () => vitest('gpu')],
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
const models = existsSync(join(root, '../shared/models'));
console.log(`real models beside the repository: ${models ? 'tested' : 'none, their tests were skipped'}`);
for (const failure of failures) console.log(`failed: ${failure}`);
for (const { name, ok, seconds } of results) console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
const failed = results.filter(({ ok }) => !ok).length;
console.log(`stages: ${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;
