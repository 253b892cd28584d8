import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryFiles } from '../../engine/model/files.node.ts';
import { memoryFile, readText } from '../../engine/model/files.ts';
import { openEngineModel } from './index.ts';

const nano = fileURLToPath(new URL('../../../public/models/nano', import.meta.url));

test('a tokenizer with more tokens than the model is refused', async () => {
  const files = new Map(await directoryFiles(nano));
  const tokenizer = JSON.parse(await readText(files.get('tokenizer.json')!)) as {
    model: { vocab: Record<string, number> };
  };
  tokenizer.model.vocab.foreign = 5000;
  files.set('tokenizer.json', memoryFile('tokenizer.json', JSON.stringify(tokenizer)));
  await expect(openEngineModel(files, { id: 'nano', title: 'nano', threads: 1 })).rejects.toMatchObject({
    code: 'model/bad-file',
  });
});

test('the same question is computed once, unless a logged step is decoded again', async () => {
  const model = await openEngineModel(await directoryFiles(nano), { id: 'nano', title: 'nano', threads: 1 });
  const ask = (seed: number, exactIds = false) => {
    const sampling = { temperature: 1, seed, maxTokens: 8 };
    const parts = [{ role: 'assistant', text: 'UP DOWN', ids: [5, 6, 7, 8] } as const];
    return model.complete([{ parts, adapter: null, sampling, ...(exactIds ? { exactIds } : {}) }]);
  };
  const first = await ask(1);
  // What is computed again finds its beginning in the cache, and says so.
  expect(first[0]!.cachedTokens).toBe(0);
  expect(await ask(1)).toEqual(first);
  expect((await ask(2))[0]!.cachedTokens).toBeGreaterThan(0);
  await ask(1, true);
  expect((await ask(1, true))[0]!.cachedTokens).toBeGreaterThan(0);
  expect(model.card.trains).toMatch(
    /^a training step of 1024 tokens at rank 8 takes \d+ MB and computes nothing again$/,
  );
  await model.close();
});

test('a grammar holds a completion to its form, and what it removed is counted', async () => {
  const model = await openEngineModel(await directoryFiles(nano), { id: 'nano', title: 'nano', threads: 1 });
  const sampling = { temperature: 1, seed: 7, maxTokens: 24, stop: ['\n'] };
  const parts = [{ role: 'system', text: 'UP' } as const];
  const free = await model.complete([{ parts, adapter: null, sampling }]);
  const held = await model.complete([
    { parts, adapter: null, sampling, grammar: ' ?Answer: (?:UP|DOWN), Score: [01]\\n?' },
  ]);
  expect(held[0]!.text).toMatch(/^ ?answer: (?:up|down), score: [01]\n?$/i);
  expect(held[0]!.maskedMass).toBeGreaterThan(0);
  expect(held[0]!.maskedMass).toBeLessThanOrEqual(1);
  expect(free[0]!.maskedMass).toBe(0);
  await model.close();
});
