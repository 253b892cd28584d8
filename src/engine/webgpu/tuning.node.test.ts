import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { tuningInFile } from './tuning.node.ts';

const folder = mkdtempSync(join(tmpdir(), 's3-tuning-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('remembers from process to process; a damaged file, or none that can be written, is no error', async () => {
  const path = join(folder, 'deeper', 'kernels.json');
  expect(await tuningInFile(path).get('a')).toBeNull();
  await tuningInFile(path).set('a', 'tiles');
  await tuningInFile(path).set('b', 'registers');
  expect([await tuningInFile(path).get('a'), await tuningInFile(path).get('b')]).toEqual(['tiles', 'registers']);
  for (const damaged of ['{', '[1]', 'null', '{"a":1}']) {
    writeFileSync(path, damaged);
    expect(await tuningInFile(path).get('a')).toBeNull();
  }
  writeFileSync(join(folder, 'file'), '');
  await tuningInFile(join(folder, 'file', 'kernels.json')).set('a', 'tiles');
});
