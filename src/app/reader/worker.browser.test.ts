// The reader as the page has it: its own worker, what it reads over the network, and how its errors cross.
import { afterEach, expect, test } from 'vitest';
import { smallLog } from '../../../test/faults/log.ts';
import type { RunEvent } from '../../log/events.ts';
import { serialise } from '../../log/jsonl.ts';
import { Reader } from './client.ts';

let reader: Reader;
const open = () => (reader = new Reader());
const address = (text: string) => URL.createObjectURL(new Blob([text]));

afterEach(() => reader.close());

test('a published log arrives whole, and each question about it has an answer or an error with a code', async () => {
  const log = smallLog(6);
  const got: RunEvent[] = [];
  await open().stream(address(log.map((event) => `${serialise(event)}\n`).join('')), (events) => got.push(...events));
  await expect.poll(() => got).toEqual(log);
  const n = log.findIndex(({ type }) => type === 'episode');
  expect((await reader.frames(n)).frames.length).toBeGreaterThan(0);
  await expect(reader.frames(0)).rejects.toMatchObject({ code: 'log/no-episode', hint: expect.stringMatching(/./) });
  await expect(reader.prompt(n, 99)).rejects.toMatchObject({ code: 'log/no-step', hint: expect.stringMatching(/./) });
  await expect(reader.report(0)).rejects.toMatchObject({ code: 'log/no-opening' });
});

test('a log of any length is taken in one piece', async () => {
  const [opened] = smallLog(1);
  const many = Array.from({ length: 200_000 }, (_, n) => ({ ...opened!, n }));
  await open().append(many);
  await expect(reader.frames(many.length - 1)).rejects.toMatchObject({ code: 'log/no-episode' });
});

test('what is no log, or is not there, is told by its code', async () => {
  await expect(open().stream(address('{"a":1}\n<!doctype'), () => undefined)).rejects.toMatchObject({
    code: 'import/bad-line',
    message: expect.stringMatching(/^line 2: /),
  });
  await expect(reader.stream('recordings/not-there.jsonl', () => undefined)).rejects.toMatchObject({
    code: expect.stringMatching(/^import\//),
  });
});
