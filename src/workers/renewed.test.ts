import { expect, test, vi } from 'vitest';
import { CodedError, type ErrorCode } from '../errors.ts';
import { scriptedModel } from '../models/scripted/index.ts';
import type { AdapterFiles, CompletionRequest, TrainingPort } from '../models/types.ts';
import { openRenewed } from './renewed.ts';

const request: CompletionRequest = {
  parts: [{ role: 'user', text: 'x', plain: 'x' }],
  adapter: null,
  sampling: { temperature: 1, seed: 1, maxTokens: 9 },
};

/** Each worker dies of the next fault at its first call; the first without one answers. */
function dying(faults: ErrorCode[], hash = (_life: number) => 'same') {
  const onDeath = vi.fn();
  let lives = 0;
  const open = async (tell: (error: CodedError) => void) => {
    const life = lives++;
    const model = scriptedModel({ answer: () => `life ${life}` });
    const fault = faults[life];
    return {
      ...model,
      card: { ...model.card, hash: hash(life) },
      async complete(...given: Parameters<typeof model.complete>) {
        if (!fault) return model.complete(...given);
        const error = new CodedError(fault, 'it went away');
        if (!fault.startsWith('usage/')) tell(error);
        throw error;
      },
    };
  };
  return { onDeath, opened: openRenewed(open, onDeath), lives: () => lives };
}

test('a lost device is made up for, and what was asked is asked again', async () => {
  const { opened, onDeath, lives } = dying(['gpu/lost', 'gpu/lost']);
  expect(await (await opened).complete([request])).toMatchObject([{ text: 'life 2' }]);
  expect([lives(), onDeath.mock.calls.length]).toEqual([3, 0]);
});

test('calls side by side: whoever’s finds the device lost, all are asked again of one new worker', async () => {
  const { opened, onDeath, lives } = dying(['gpu/lost', 'gpu/lost']);
  const model = await opened;
  const answers = await Promise.all([model.complete([request]), model.complete([request]), model.complete([request])]);
  expect(answers.flat().map(({ text }) => text)).toEqual(['life 2', 'life 2', 'life 2']);
  expect([lives(), onDeath.mock.calls.length]).toEqual([3, 0]);
});

test('while a new worker is opened, whoever is stopped does not wait for it; what is closed leaves none behind', async () => {
  const closed: number[] = [];
  let lives = 0;
  let come = () => {};
  const model = await openRenewed(async (tell) => {
    const life = lives++;
    if (life > 0) await new Promise<void>((resolve) => (come = resolve));
    const player = scriptedModel({ answer: () => 'x' });
    return {
      ...player,
      close: async () => void closed.push(life),
      complete: async () => {
        const error = new CodedError('gpu/lost', 'it went away');
        tell(error);
        throw error;
      },
    };
  });
  const controller = new AbortController();
  const first = model.complete([request], controller.signal);
  const second = model.complete([request]);
  await vi.waitFor(() => expect(lives).toBe(2));
  controller.abort();
  await expect(first).rejects.toMatchObject({ code: 'worker/aborted' });
  await model.close();
  come();
  await expect(second).rejects.toMatchObject({ code: 'worker/terminated' });
  expect(closed).toEqual([0, 1]);
});

test('after three there is advice, and its owner hears of it', async () => {
  const { opened, onDeath, lives } = dying(Array.from({ length: 9 }, () => 'gpu/lost' as const));
  await expect((await opened).complete([request])).rejects.toMatchObject({
    code: 'gpu/lost',
    message: expect.stringMatching(/4 times/),
  });
  expect([lives(), onDeath.mock.calls.length]).toEqual([4, 1]);
});

test.each<[ErrorCode, number]>([
  ['model/stalled', 1],
  // Nothing died of it.
  ['usage/grammar', 0],
])('%s is passed on', async (code, deaths) => {
  const { opened, onDeath, lives } = dying([code]);
  await expect((await opened).complete([request])).rejects.toMatchObject({ code });
  expect([lives(), onDeath.mock.calls.length]).toEqual([1, deaths]);
});

test('another model in its place is refused', async () => {
  const { opened, onDeath } = dying(['gpu/lost'], (life) => `model ${life}`);
  await expect((await opened).complete([request])).rejects.toMatchObject({ code: 'model/changed' });
  expect(onDeath).toHaveBeenCalledOnce();
});

test('training: the next worker gets the adapters and the steps of the update under way', async () => {
  // A device that is lost at calls of these numbers, counted over all lives; its training is a sum of its steps.
  const lostAt = new Set([4, 7]);
  let [calls, lives] = [0, 0];
  const open = async (tell: (error: CodedError) => void) => {
    lives += 1;
    const held = new Map<string, AdapterFiles>();
    let sum = '';
    const model = scriptedModel({ answer: () => '' });
    const call = <T>(work: () => T): Promise<T> => {
      calls += 1;
      if (lostAt.has(calls)) {
        const error = new CodedError('gpu/lost', 'it went away');
        tell(error);
        return Promise.reject(error);
      }
      return Promise.resolve(work());
    };
    const add = (content: string) => {
      held.set(content, { config: content, tensors: new Uint8Array() });
      return { hash: content, norms: {} };
    };
    const training: TrainingPort = {
      fresh: (_, seed) => call(() => add(`fresh ${seed}`)),
      load: (files) => call(() => add(files.config)),
      files: (hash) => call(() => held.get(hash)!),
      start: (hash) => call(() => void (sum = held.get(hash)!.config)),
      step: ([example]) => call(() => ({ loss: (sum += ` ${example!.ids[0]}`).length, gradNorm: 1, tokens: 1 })),
      finish: () => call(() => ({ adapter: add(sum), optimizer: new Uint8Array() })),
      release: (hash) => call(() => void held.delete(hash)),
      score: () => call(() => []),
      baseHash: () => call(() => 'base'),
    };
    return { ...model, card: { ...model.card, canTrain: true }, training };
  };
  const { training } = await openRenewed(open);
  const { hash } = await training!.fresh({ rank: 1, alpha: 1, targets: [] }, 1);
  const settings = { lr: 1, beta1: 0, beta2: 0, eps: 0, weightDecay: 0, clip: 0 };
  await training!.start(hash, settings, null);
  const losses = [];
  for (const id of [7, 8, 9]) losses.push((await training!.step([{ ids: [id], weights: [1] }], 1, 1)).loss);
  const { adapter } = await training!.finish();
  expect(adapter.hash).toBe('fresh 1 7 8 9');
  expect(losses).toEqual(['fresh 1 7', 'fresh 1 7 8', 'fresh 1 7 8 9'].map((text) => text.length));
  expect(lives).toBe(3);
  expect(await training!.files(adapter.hash)).toMatchObject({ config: 'fresh 1 7 8 9' });
});
