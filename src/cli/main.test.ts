// Exit codes: 2 and one line with a code where the program was asked for something that cannot be.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { allSettings } from '../gym/config.ts';
import { exitCode, load, main, names } from './main.ts';

// A machine without a GPU, wherever this runs.
vi.mock('../engine/webgpu/dawn.node.ts', () => ({ dawn: async () => ({ requestAdapter: async () => null }) }));

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 's3-main-'));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Each call listens for Ctrl-C and for a closed pipe; in the terminal there is one call a process.
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);

async function s3(...argv: string[]) {
  const written: string[] = [];
  const spies = [process.stderr, process.stdout].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  try {
    return { code: await main(argv, root), text: written.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

let count = 0;
const out = () => join(folder, `out-${count++}.jsonl`);
const noLog = file('page.jsonl', '<!doctype html>');

test.each([
  ['an unknown command', ['fly'], 'usage/unknown-command'],
  ['an unknown flag', ['aa', '--nope'], 'usage/bad-flag'],
  ['a bad value', ['run', '--explore=-1', '--out', out()], 'usage/bad-value'],
  ['an unknown setting', ['run', '--set', 'nope=1', '--out', out()], 'usage/bad-value'],
  ['an unknown game', ['run', '--game', 'go', '--out', out()], 'game/unknown'],
  ['an unknown arm', ['run', '--pathways', 'nope', '--out', out()], 'plugin/unknown-arm'],
  ['an unknown variant', ['run', '--pathways', 'history@nope', '--out', out()], 'plugin/unknown-variant'],
  [
    'settings that contradict',
    ['run', '--pathways', 'frozen-sharp', '--set', 'heldOut=development', '--out', out()],
    'settings/bad-value',
  ],
  ['a missing model', ['run', '--model', join(folder, 'none'), '--out', out()], 'model/not-found'],
  ['an engine that has no adapter', ['run', '--engine', 'webgpu', '--out', out()], 'gpu/unavailable'],
  ['the same, for the engine alone', ['model', 'logits', '--engine', 'webgpu', '--ids', '1,2'], 'gpu/unavailable'],
  ['a missing log to resume', ['run', '--resume', join(folder, 'none.jsonl')], 'log/missing'],
  ['a file to resume that is no log', ['run', '--resume', noLog], 'import/not-a-log'],
  ['a missing log to verify', ['verify', join(folder, 'none.jsonl')], 'usage/no-file'],
  ['a folder to verify', ['verify', folder], 'usage/no-file'],
  ['a file to verify that is no log', ['verify', noLog], 'import/not-a-log'],
  ['a file to report that is no log', ['report', noLog], 'import/not-a-log'],
  ['a section of results that is none', ['results', '--only', 'snake,nope', '--logs', folder], 'usage/bad-value'],
  ['a missing game to check', ['check', join(folder, 'none.js')], 'usage/no-file'],
])(
  '%s',
  async (_, argv, code) => {
    const { code: exit, text } = await s3(...argv);
    expect(text).toMatch(new RegExp(`^${code}: [^\\n]+\\n$`));
    expect(exit).toBe(2);
  },
  120_000,
);

test('what was found wrong is 1', () => {
  for (const code of ['import/bad-line', 'log/mixed', 'log/missing-blob', 'game/threw', 'worker/unknown'])
    expect(exitCode(code)).toBe(1);
});

test('help names every command and nothing else', async () => {
  const { code, text } = await s3('help');
  expect(code).toBe(0);
  for (const name of names) expect(text).toContain(`\n  ${name} `);
  expect(names).toContain('run');
  expect(names.filter((name) => name.includes('.'))).toEqual([]);
});

test.each(names)('%s: its usage and docs/commands.md name every flag', async (name) => {
  const { command } = await load(name);
  const lines = readFileSync(join(root, 'docs/commands.md'), 'utf8').split('\n');
  const page = lines.filter((line) => new RegExp(`\`(npm run -s )?${name}[ \`]`).test(line)).join('\n');
  const help = [command.usage, ...(command.details ?? [])].join('\n');
  const settings = new Set(allSettings.map(({ key }) => key));
  for (const flag of Object.keys(command.flags)) {
    expect(help).toMatch(new RegExp(`--${flag}\\b`));
    if (!(name === 'run' && settings.has(flag))) expect(page).toMatch(new RegExp(`--${flag}\\b`));
  }
});
