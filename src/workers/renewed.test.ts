import { expect, test, vi } from 'vitest';
import { CodedError, type ErrorCode } from '../errors.ts';
import { scriptedModel } from '../models/scripted/index.ts';
import type { CompletionRequest } from '../models/types.ts';
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
