import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directoryFiles } from './files.node.ts';
import { blobFile, memoryFile, modelFiles, readBytes, readText } from './files.ts';
import { parseJsonObject, repeatedKey } from './json.ts';
import { RandomStream } from './random.ts';

describe('readBytes', () => {
  it('gives exactly what was asked for, at an address that any typed array can view', async () => {
    const shifted = new Uint8Array(20).subarray(3).fill(7);
    for (const source of [memoryFile('m', shifted), blobFile('b', new Blob([shifted]))]) {
      const data = await readBytes(source, 1, 8);
      expect([...data]).toEqual(Array(8).fill(7));
      expect(data.byteOffset % 8).toBe(0);
      for (const [offset, length] of [
        [10, 8],
        [-1, 2],
        [18, 0],
        [0, NaN],
        [2 ** 53, 1],
      ] as const) {
        await expect(readBytes(source, offset, length)).rejects.toMatchObject({ code: 'model/bad-file' });
      }
    }
  });
});

describe('readText', () => {
  it('takes UTF-8 up to its limit', async () => {
    expect(await readText(memoryFile('t', 'größer 🙂'))).toBe('größer 🙂');
    await expect(readText(memoryFile('t', 'abcd'), 3)).rejects.toMatchObject({ code: 'model/bad-file' });
    await expect(readText(memoryFile('t', Uint8Array.of(0xc3, 0x28)))).rejects.toMatchObject({
      code: 'model/bad-file',
    });
  });
});

describe('modelFiles', () => {
  it('refuses two files of one name', () => {
    expect(() => modelFiles([memoryFile('a', ''), memoryFile('a', '')])).toThrow(/two files/);
  });
});

describe('directoryFiles', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'files-'));
    await writeFile(join(folder, 'a.bin'), Uint8Array.of(1, 2, 3, 4));
    await mkdir(join(folder, 'sub'));
    await symlink(join(folder, 'a.bin'), join(folder, 'link.bin'));
    await symlink(join(folder, 'nowhere'), join(folder, 'dangling.bin'));
    await symlink(join(folder, 'sub'), join(folder, 'folder.bin'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('lists files and links to files, and reads parts of them', async () => {
    const files = await directoryFiles(folder);
    expect([...files.keys()]).toEqual(['a.bin', 'link.bin']);
    expect([...(await readBytes(files.get('link.bin')!, 1, 2))]).toEqual([2, 3]);
  });

  it('notices a file that shrank', async () => {
    const files = await directoryFiles(folder);
    await writeFile(join(folder, 'a.bin'), Uint8Array.of(1));
    await expect(readBytes(files.get('a.bin')!, 0, 4)).rejects.toMatchObject({ code: 'model/bad-file' });
    await rm(join(folder, 'a.bin'));
    await expect(readBytes(files.get('a.bin')!, 0, 4)).rejects.toMatchObject({ code: 'model/read' });
  });
});

describe('repeatedKey', () => {
  it('finds a key that is there twice in one object, however it is written', () => {
    expect(repeatedKey('{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}')).toBe(null);
    expect(repeatedKey('{"a":1,"\\u0061":2}')).toBe('a');
    expect(repeatedKey('{"x":{"b\\"":1 , "b\\""\n:2}}')).toBe('b"');
    expect(repeatedKey('{"a":"a","b":["a","a"],"c":"\\\\"}')).toBe(null);
    expect(repeatedKey('{"a":":\\"","b":"a:"}')).toBe(null);
  });

  it('agrees with a count on random objects', () => {
    const random = new RandomStream(4, 'json');
    const pick = (n: number) => random.next() % n;
    const keys = ['a', 'b', '"', '\\', ':', '{', '🙂', '__proto__'];
    for (let i = 0; i < 2000; i++) {
      const used = Array.from({ length: pick(6) }, () => keys[pick(keys.length)]!);
      const text = `{${used.map((key) => `${JSON.stringify(key)}:${JSON.stringify({ [keys[pick(8)]!]: [key] })}`).join(' ,')}}`;
      expect(repeatedKey(text) === null, text).toBe(new Set(used).size === used.length);
    }
  });
});

describe('parseJsonObject', () => {
  it('takes objects alone', () => {
    expect(parseJsonObject('{"a":1}', 'x')).toEqual({ a: 1 });
    for (const text of ['', 'null', '[1]', '"a"', '3', '{']) {
      expect(() => parseJsonObject(text, 'x')).toThrow(expect.objectContaining({ code: 'model/bad-file' }));
    }
  });
});
