import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type SyntheticOptions, syntheticRun } from '../../../test/synthetic.ts';
import { serialise } from '../../log/jsonl.ts';
import { reportOf } from '../../report/defaults.ts';
import { Args, type Io } from '../command.ts';
import { command } from './report.ts';

let folder: string;
const log = (name: string, options: SyntheticOptions = {}, seed = 1) => {
  const path = join(folder, name);
  writeFileSync(
    path,
    syntheticRun(seed, { strict: 6, ...options })
      .map((event) => `${serialise(event)}\n`)
      .join(''),
  );
  return path;
};

async function run(...argv: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (l: string) => out.push(l), err: (l: string) => err.push(l) } as unknown as Io;
  const code = await command.run(new Args(command, argv), io);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 's3-report-'));
});

test('tables to stdout; --json is the report itself', async () => {
  const path = log('one.jsonl');
  const plain = await run(path);
  expect(plain.code).toBe(0);
  expect(plain.out).toContain('== Did it help? ==');
  const json = await run(path, '--json');
  const { pluginTables, ...report } = JSON.parse(json.out) as Record<string, unknown>;
  expect(pluginTables).toMatchObject([{ id: 'drift-judging' }]);
  expect(plain.out).toContain('== Does its judging drift while it learns? ==');
  expect(report).toEqual(reportOf(syntheticRun(1, { strict: 6 })));
});

test('several seeds over files make one report; files are written where told', async () => {
  const paths = [1, 2, 3].map((seed) => log(`seed${seed}.jsonl`, { seeds: [seed] }, seed));
  const html = join(folder, 'out', 'report.html');
  const csv = join(folder, 'csv');
  const markdown = join(folder, 'report.md');
  const { code, out, err } = await run(...paths, '--html', html, '--csv', csv, '--markdown', markdown);
  expect(code).toBe(0);
  expect(out).toBe('');
  expect(err).toContain(html);
  expect(readFileSync(html, 'utf8')).toContain('<svg');
  expect(readFileSync(markdown, 'utf8')).toContain('| --- |');
  expect(readdirSync(csv)).toContain('differences.csv');
  expect(JSON.parse((await run(...paths, '--json')).out)).toMatchObject({ runSeeds: [1, 2, 3], logs: 3 });
});

test('what is wrong is said with a code', async () => {
  await expect(run(join(folder, 'absent.jsonl'))).rejects.toMatchObject({ code: 'usage/no-file' });
  const paths = [log('a.jsonl'), log('b.jsonl', { seeds: [2], model: 'another' })];
  await expect(run(...paths)).rejects.toMatchObject({ code: 'log/mixed' });
  const broken = join(folder, 'broken.jsonl');
  writeFileSync(broken, readFileSync(paths[0]!, 'utf8').replace('"score":', '"Score":'));
  await expect(run(broken)).rejects.toMatchObject({
    code: expect.stringMatching(/^import\//),
    message: expect.stringContaining(broken),
  });
  expect(() => new Args(command, ['--nope'])).toThrow(/nope/);
});
