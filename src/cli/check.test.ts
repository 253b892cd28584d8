// `s3 check FILE.js` from outside: a sound module, broken ones, and ones that loop or leave.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const COINS = `
const config = (preset, phase) => ({ preset, phase, stepCap: 3, scoreBounds: [0, 3], stepRewardBounds: [0, 1], scoreStep: 1 });
const both = (preset) => ({ explore: config(preset, 'explore'), strict: config(preset, 'strict') });
const step = (_, s, action) => {
  const guess = ['tails', 'heads'].indexOf(action.toLowerCase());
  if (guess < 0) return { valid: false, reason: 'unknown word' };
  return { valid: true, state: { ...s, at: s.at + 1, right: s.right + (s.coins[s.at] === guess ? 1 : 0) }, feedback: '', terminated: false };
};
export default ({ defineGame }) => defineGame({
  id: 'coins-v1', title: 'Coins', summary: 'Guess coins.', unit: 'right guesses',
  configs: { pocket: both('pocket'), paper: both('paper') },
  legend: { board: '.HT0123456789 ', line: '.HT0123456789 ' }, rolesExempt: true,
  rules: () => 'Guess heads or tails. Answer: <ACTION>, Score: <NUMBER>', guidance: () => 'Say heads.',
  generate: (_, rng) => [0, 1, 2].map(() => (rng.next() < 0.9 ? 1 : 0)),
  start: (_, coins) => ({ coins, at: 0, right: 0 }),
  board: (_, s) => s.coins.map((c, i) => (i < s.at ? 'TH'[c] : '.')).join('') + ' ' + s.right,
  line: (_, board) => board, grammar: () => 'heads|tails', actions: () => ['heads', 'tails'], step,
  score: (_, s) => s.right, success: (_, s) => s.right === 3,
  random: (_, s, rng) => rng.pick(['heads', 'tails']), expert: () => 'heads', FAULT
});`;

describe('s3 check FILE.js', () => {
  let folder = '';
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 's3-check-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const check = (name: string, text: string, ...flags: string[]) => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, text);
    return new Promise<{ code: number; out: string; err: string; ms: number }>((done) => {
      const began = Date.now();
      const args = [resolve('bin/s3.mjs'), 'check', file, '--seeds', '50', ...flags];
      execFile(process.execPath, args, (error, out, err) =>
        done({ code: error ? Number(error.code) : 0, out, err, ms: Date.now() - began }),
      );
    });
  };
  const coins = (fault: string) => COINS.replace('FAULT', fault);

  it('a sound game conforms', async () => {
    const { code, out } = await check('sound', coins(''), '--json');
    const { game, ok, results } = JSON.parse(out) as { game: string; ok: boolean; results: { check: string }[] };
    expect([code, game, ok]).toEqual([0, 'coins-v1', true]);
    expect(results.length).toBeGreaterThan(15);
  }, 60_000);

  it('a game that throws or draws from a clock fails by name', async () => {
    const { code, out } = await check(
      'clock',
      coins('guidance: () => { throw new Error("boom"); }, score: () => Date.now() % 2'),
    );
    expect(code).toBe(1);
    expect(out).toMatch(/coins-v1: does not conform/);
    expect(out).toMatch(/FAIL rules +boom/);
    expect(out).toMatch(/FAIL bounds/);
  }, 60_000);

  it.each([
    ['loops', coins('success: () => { for (;;); }'), /^game\/timeout: no progress for 2 s in check determinism/],
    ['loops at import', 'for (;;);', /^game\/timeout: no progress for 2 s in loading/],
    ['never settles', 'await new Promise(() => setInterval(() => {}, 1000));', /^game\/timeout/],
    ['leaves', 'process.exit(0);', /^game\/crashed: the worker ended in loading/],
    ['throws', 'throw new Error("no\\nno");', /^game\/bad-module: no \(/],
    ['exports nothing', 'export const game = 1;', /^game\/bad-module: the default export/],
    ['is no game', 'export default { id: "x-v1" };', /^game\/bad-module: title/],
    ['is no JavaScript', 'export default {', /^game\/bad-module/],
  ])(
    'a module that %s gives one coded line',
    async (name, text, line) => {
      const { code, out, err, ms } = await check(name.replaceAll(' ', '-'), text);
      expect(err.trim()).toMatch(line);
      expect(err.trim().split('\n')).toHaveLength(1);
      expect([code, out]).toEqual([1, '']);
      expect(ms).toBeLessThan(30_000);
    },
    60_000,
  );
});
