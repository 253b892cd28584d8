// The paper's budgets on models that are far too small for them, and what is refused where nothing would be left.
import { expect, test } from 'vitest';
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { PromptReader } from '../log/prompts.ts';
import { scriptedText } from '../models/scripted/index.ts';
import type { CompletionRequest } from '../models/types.ts';
import { splitContext } from './budget.ts';
import { randomPlayer, smallRun } from './testing.ts';
import { verifyLog } from './verify.ts';

const paper = {
  preset: 'paper',
  games: ['trust-v1'],
  pathways: ['frozen', 'history', 'summary'],
  explore: 3,
  every: 3,
  strict: 1,
  frozenReplicates: 1,
};

/** First prompts of an arm's held-out episodes at its last checkpoint. */
function heldOut(events: readonly RunEvent[], pathway: string): string[] {
  const reader = new PromptReader();
  return events.flatMap((event) => {
    if (event.type !== 'episode') return (reader.fold(event), []);
    const [first] = reader.episode(event);
    return event.pathway === pathway && event.phase === 'strict' ? [first!.text] : [];
  });
}

test.each([
  [200_000, 100_000, 14_000, { prompt: 100_000, answer: 14_000, whole: 100_000 }],
  [100_000, 100_000, 14_000, { prompt: 85_999, answer: 14_000, whole: 99_999 }],
  [2048, 100_000, 14_000, { prompt: 1536, answer: 511, whole: 2047 }],
  [2048, 0, 48, { prompt: 1999, answer: 48, whole: 2047 }],
  [2048, 512, 48, { prompt: 512, answer: 48, whole: 512 }],
])('a context of %i with budgets of %i and %i', (context, inputTokens, outputTokens, shares) => {
  expect(splitContext(context, inputTokens, outputTokens)).toEqual(shares);
});

test('under the paper’s budgets a small model still reads its history, and its tips come from episodes', async () => {
  const events = await smallRun(paper, [], { model: randomPlayer(6000) });
  for (const prompt of heldOut(events, 'history')) expect(prompt).toMatch(/Hint Messages:\nEpisode:\nEnv: /);
  const tips = events.filter((event) => event.type === 'consolidation').filter(({ pathway }) => pathway === 'summary');
  expect(tips.length).toBeGreaterThan(0);
  for (const { kept, sentence } of tips) {
    expect(sentence).not.toContain('from 0');
    expect(kept.length).toBeGreaterThan(0);
  }
});

test('hints that fill the budget are cut, and the episode goes on', async () => {
  const settings = { ...paper, pathways: ['history'], explore: 3, strict: 2 };
  const events = await smallRun(settings, [], { model: randomPlayer(6000) });
  const episodes = events.filter((event): event is EpisodeEvent => event.type === 'episode' && event.checkpoint === 3);
  expect(episodes.length).toBeGreaterThan(0);
  for (const { endReason, steps } of episodes) {
    expect(endReason).not.toBe('context');
    expect(steps[0]!.cut!.tokens).toBeGreaterThan(0);
  }
});

test('where no episode fits whole, tips are written from its first steps', async () => {
  const wordy = randomPlayer(6000);
  const complete = async (requests: readonly CompletionRequest[]) =>
    wordy.complete(requests.map((one) => ({ ...one, sampling: { ...one.sampling, maxTokens: 40 } })));
  const settings = { ...paper, games: ['snake-v1'], pathways: ['summary'], explore: 1, every: 1 };
  const events = await smallRun(settings, [], {
    model: { ...wordy, complete, card: { ...wordy.card, context: 3000 } },
  });
  const [first] = events.filter((event) => event.type === 'consolidation');
  const steps = events.find(
    (event): event is EpisodeEvent => event.type === 'episode' && event.phase === 'explore',
  )!.steps;
  expect(first!.sentence).toMatch(/first \d+ steps? of an episode/);
  expect(first!.kept.length + first!.dropped.length).toBe(steps.length);
  expect(first!.kept.length).toBeLessThan(steps.length);
});

test('a budget that leaves nothing is refused before anything is played', async () => {
  const asked: unknown[] = [];
  const model = randomPlayer();
  const complete: typeof model.complete = async (requests) => (asked.push(requests), model.complete(requests));
  const run = (inputTokens: number, preset: string) =>
    smallRun({ ...paper, preset, inputTokens }, [], { model: { ...model, complete } });
  await expect(run(64, 'paper')).rejects.toMatchObject({
    code: 'settings/no-room',
    message: expect.stringMatching(/Trust.* of 64 tokens/),
  });
  await expect(run(700, 'pocket')).rejects.toMatchObject({
    code: 'settings/no-room',
    message: expect.stringMatching(/history/),
  });
  expect(asked).toEqual([]);
});

test('a prompt that is too long ends its episode and is never decoded', async () => {
  const seen: number[] = [];
  const model = randomPlayer();
  const complete: typeof model.complete = async (requests) => {
    const completions = await model.complete(requests);
    seen.push(...completions.map(({ promptIds }) => promptIds.length));
    return completions;
  };
  const settings = { ...paper, preset: 'pocket', pathways: ['frozen'], strict: 4, inputTokens: 900 };
  const events = await smallRun(settings, [], { model: { ...model, complete } });
  const episodes = events.filter((event): event is EpisodeEvent => event.type === 'episode');
  expect(episodes.some(({ endReason }) => endReason === 'context')).toBe(true);
  expect(Math.max(...seen)).toBeLessThanOrEqual(900);
});

test.each([
  ['an episode that is read in part', { games: ['snake-v1'], pathways: ['summary'], explore: 1, every: 1 }, 3000],
  ['hints that are cut', { games: ['trust-v1'], pathways: ['history'], explore: 3, every: 3 }, 2600],
])('%s verifies, with the tokenizer and without', async (_, settings, context) => {
  const model = randomPlayer(context);
  const events = await smallRun({ ...paper, ...settings }, [], { model });
  const short = events.some(
    (event) =>
      (event.type === 'episode' && (event.endReason === 'context' || event.steps.some(({ cut }) => cut))) ||
      (event.type === 'consolidation' && /first \d+ steps? of an episode/.test(event.sentence)),
  );
  expect(short).toBe(true);
  for (const text of [scriptedText, null]) {
    const found = await verifyLog(events, { report: () => ({ report: null, ledger: null }), text });
    expect(found.differences).toEqual([]);
  }
});
