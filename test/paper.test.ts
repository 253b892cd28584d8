// The `paper` preset with the bundled model, whose context is a fiftieth of the paper's budgets: its prompts hold hints.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { smallRun } from '../src/gym/testing.ts';
import type { EpisodeEvent } from '../src/log/events.ts';
import { PromptReader } from '../src/log/prompts.ts';
import { openModelByName } from '../src/models/open.node.ts';
import type { LanguageModel } from '../src/models/types.ts';

/** The budgets stay the paper's; what it says is cut short, because outside its own format it talks without end. */
const brief = (model: LanguageModel): LanguageModel => ({
  ...model,
  complete: (requests, signal) =>
    model.complete(
      requests.map((one) => ({ ...one, sampling: { ...one.sampling, maxTokens: 12 } })),
      signal,
    ),
});

it('a history arm reads its history, a summary arm its episodes', async () => {
  const model = await openModelByName('nano', fileURLToPath(new URL('..', import.meta.url)), { threads: 1 });
  const events = await smallRun(
    {
      preset: 'paper',
      games: ['snake-v1'],
      pathways: ['history', 'summary'],
      explore: 1,
      every: 1,
      strict: 1,
      replicates: 1,
    },
    [],
    { model: brief(model) },
  );
  await model.close();
  const reader = new PromptReader();
  const texts = new Map<EpisodeEvent, string>();
  for (const event of events) {
    if (event.type !== 'episode') reader.fold(event);
    else texts.set(event, reader.episode(event)[0]!.text);
  }
  const heldOut = [...texts].filter(([{ pathway, checkpoint }]) => pathway === 'history' && checkpoint === 1);
  expect(heldOut.length).toBe(1);
  for (const [, text] of heldOut) expect(text).toMatch(/Hint Messages:\nEpisode:\nEnv: /);
  const tips = events.find((event) => event.type === 'consolidation' && event.pathway === 'summary');
  expect(tips).toMatchObject({ kept: expect.arrayContaining([{ episode: 0, step: 0 }]) });
}, 300_000);
