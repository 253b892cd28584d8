import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { smallLog } from '../../test/faults/log.ts';
import { hashBytes } from '../hash.ts';
import { LogFile, readBlobFile, readLogFile } from './files.node.ts';

const log = smallLog();
let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 's3-log-'));
  path = join(folder, 'run.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

async function write(count: number) {
  const file = await LogFile.create(path);
  for (const event of log.slice(0, count)) await file.append(event);
  await file.close();
}

test('written lines are read again; resuming appends', async () => {
  await write(2);
  const { log: file, events, torn } = await LogFile.resume(path);
  expect([events.length, torn]).toEqual([2, null]);
  for (const event of log.slice(2)) await file.append(event);
  await file.close();
  expect(await readLogFile(path)).toEqual(log);
  await expect(LogFile.create(path)).rejects.toMatchObject({ code: 'log/exists' });
  expect(await readdir(folder)).toEqual(['run.jsonl']);
});

test.each([1, 5, 60])('a last line that lost %i bytes in a crash', async (lost) => {
  await write(4);
  const { length } = await readFile(path);
  await truncate(path, length - lost);
  const { log: file, events, torn } = await LogFile.resume(path);
  // One byte is the newline only: the line itself is whole.
  expect([events.length, torn?.number]).toEqual(lost === 1 ? [4, undefined] : [3, 4]);
  for (const event of log.slice(events.length)) await file.append(event);
  await file.close();
  expect(await readLogFile(path)).toEqual(log);
});

test('a last line cut within a character', async () => {
  await write(4);
  await appendFile(path, Buffer.from('{"type":"plugin","kind":"…').subarray(0, -1));
  const { log: file, events, torn } = await LogFile.resume(path);
  expect([events.length, torn?.number]).toEqual([4, 5]);
  await file.append(log[4]!);
  await file.close();
  expect(await readLogFile(path)).toEqual(log);
});

test('a fault in the middle is no torn line', async () => {
  await write(5);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"feedback":"hit"', '"feedback":"miss"'));
  await expect(LogFile.resume(path)).rejects.toMatchObject({ code: 'import/bad-chain' });
  await writeFile(path, text.replace('"score":1.5', '"score":'));
  await expect(LogFile.resume(path)).rejects.toMatchObject({ code: 'import/bad-line' });
});

test('blobs are written whole, once, and checked when read', async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const hash = hashBytes(bytes);
  const file = await LogFile.create(path);
  await file.append(log[0]!, { [hash]: bytes });
  expect(await file.blob(hash)).toEqual(bytes);
  expect(await readBlobFile(path, 'f'.repeat(64))).toBeNull();
  expect(await readBlobFile(path, '../../etc/passwd')).toBeNull();
  await expect(file.append(log[1]!, { [hash]: new Uint8Array([4]) })).rejects.toMatchObject({ code: 'log/bad-blob' });
  expect(await readdir(join(folder, 'run.blobs'))).toEqual([hash]);
  await appendFile(join(folder, 'run.blobs', hash), 'x');
  await expect(file.blob(hash)).rejects.toMatchObject({ code: 'log/bad-blob' });
  await file.close();
  expect((await readLogFile(path)).length).toBe(1);
});

test('one process at a time; a dead one does not hold the lock', async () => {
  const file = await LogFile.create(path);
  await expect(LogFile.resume(path)).rejects.toMatchObject({ code: 'log/locked' });
  await file.append(log[0]!);
  await file.close();
  await writeFile(`${path}.lock`, '999999999');
  await (await LogFile.resume(path)).log.close();
  await expect(LogFile.resume(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'log/missing' });
  await expect(readLogFile(folder)).rejects.toMatchObject({ code: 'log/missing' });
});
