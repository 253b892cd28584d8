import { expect, test } from 'vitest';
import type { LabApi } from '../../workers/contract.ts';
import { Failures } from './failures.svelte.ts';
import { Library } from './library.svelte.ts';

const recording = {
  ...{ file: 'snake.jsonl.gz', title: '', note: '', game: 'snake-v1', url: 'recordings/snake.jsonl.gz' },
  blob: async () => new Blob(['packed']),
};

test('a recording that was borrowed to be verified is given back, also when that fails', async () => {
  const removed: string[] = [];
  const lab = {
    importRun: async (file: Blob) => `copy of ${await file.text()}`,
    verify: async () => Promise.reject(new Error('the worker is gone')),
    remove: async (id: string) => void removed.push(id),
  } as unknown as LabApi;
  const failures = new Failures();
  const library = new Library(async () => lab, failures);
  await library.verify({ recording });
  expect(removed).toEqual(['copy of packed']);
  expect(failures.list.map(({ error }) => error.message)).toEqual(['the worker is gone']);
});
