// Proof of training on the bundled model: a small run with one real update, then looked at.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { smallRun } from '../gym/testing.ts';
import type { AdapterSaved, RunEvent } from '../log/events.ts';
import { openModelByName } from '../models/open.node.ts';
import type { LanguageModel } from '../models/types.ts';
import { exampleOf, proveTraining } from './proof.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const blobs = new Map<string, Uint8Array>();
const tensor = 'base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight';
let model: LanguageModel;
let events: RunEvent[];
let saved: AdapterSaved;

beforeAll(async () => {
  model = await openModelByName('nano', root, { threads: 1 });
  const settings = {
    ...{ games: ['trust-v1'], pathways: ['frozen', 'training'], explore: 8, every: 8, strict: 1 },
    ...{ frozenReplicates: 1, trainSteps: 2, keep: 'episodes', model: 'nano' },
  };
  events = await smallRun(settings, [], { model, blobs });
  saved = events.find((event) => event.type === 'adapter.saved')!;
  expect(saved, 'nano scored something above 0, so that it was trained').toBeDefined();
}, 60_000);
afterAll(() => model.close());

const run = () => ({ events, blob: async (hash: string) => blobs.get(hash) ?? null });

test('the logged adapter is held, the base weights are where they were, the gradient agrees', async () => {
  const seen: number[] = [];
  const proof = await proveTraining(model, run(), saved.hash, tensor, (done, all) => seen.push(done / all));
  expect(saved.hash).not.toBe(saved.before);
  expect(proof).toMatchObject({ adapter: saved.hash, baseHash: saved.baseHash, check: { verdict: 'agrees' } });
  expect(proof.engine).toMatch(/^cpu/);
  expect(seen.at(-1)).toBe(1);
});

test('it looks at what the arm itself explored before the update, with the weight on the answer', () => {
  const { ids, weights } = exampleOf(events, saved);
  expect(weights).toHaveLength(ids.length);
  const answer = weights.indexOf(1);
  expect(answer).toBeGreaterThan(0);
  expect(weights.slice(answer).every((weight) => weight === 1)).toBe(true);
  const nobody = { ...saved, pathway: 'nobody' };
  expect(() => exampleOf(events, nobody)).toThrow(/explored nothing/);
});

test.each([
  ['log/no-adapter', async () => proveTraining(model, run(), 'none', tensor, () => undefined)],
  ['training/no-tensor', async () => proveTraining(model, run(), saved.hash, 'none', () => undefined)],
  [
    'model/changed',
    async () => {
      const other = { ...model, card: { ...model.card, hash: 'another' } };
      return proveTraining(other, run(), saved.hash, tensor, () => undefined);
    },
  ],
  [
    'training/unsupported',
    async () => proveTraining({ ...model, training: undefined! }, run(), saved.hash, tensor, () => undefined),
  ],
  [
    'log/missing-blob',
    async () => proveTraining(model, { ...run(), blob: async () => null }, saved.hash, tensor, () => undefined),
  ],
])('%s', async (code, call) => {
  await expect(call()).rejects.toMatchObject({ code });
});
