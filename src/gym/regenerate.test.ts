import { beforeAll, expect, it } from 'vitest';
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { regenerate } from './regenerate.ts';
import { smallRun, trainablePlayer } from './testing.ts';

const blobs = new Map<string, Uint8Array>();
const readBlob = async (hash: string) => blobs.get(hash) ?? null;
const settings = {
  games: ['trust-v1'],
  split: ['strict'],
  explore: 2,
  every: 1,
  strict: 2,
  trainSteps: 1,
  correct: true,
  pathways: ['frozen', 'training', 'summary@judge-pass', 'history@oracle-experience'],
};
let log: RunEvent[];

beforeAll(async () => {
  const { model, training } = trainablePlayer();
  const { hash } = await training.fresh({ rank: 1, alpha: 1, targets: [] }, 7);
  const from = { adapter: { hash, ...(await training.files(hash)) } };
  log = await smallRun(settings, [], { model, blobs, from });
});

/** Another process: nothing is resident. */
const again = (events: RunEvent[]) => regenerate(events, trainablePlayer().model, 1000, readBlob);
const forge = (change: (event: EpisodeEvent) => boolean): RunEvent[] => {
  const events = structuredClone(log);
  events.some((event) => event.type === 'episode' && event.steps.length > 0 && change(event));
  return events;
};

it('decodes a run again that began with an adapter: episodes, summaries, corrections and judgements', async () => {
  const episodes = log.filter((event) => event.type === 'episode').length;
  const { differences, ...counts } = await again(log);
  expect(differences).toEqual([]);
  expect(counts).toEqual({ episodes, calls: expect.any(Number) });
  expect(counts.calls).toBeGreaterThan(2);
});

it('names an answer that the model does not give', async () => {
  const forged = forge((event) => {
    event.steps[0]!.completionTokens.push(1);
    return true;
  });
  expect((await again(forged)).differences).toMatchObject([{ field: 'answer 0' }]);
});

it('names a judgement that the judge does not give', async () => {
  const forged = forge(({ steps }) => {
    steps[0]!.judge?.completionTokens.push(1);
    return steps[0]!.judge !== undefined;
  });
  expect((await again(forged)).differences).toMatchObject([{ field: 'judgement 0' }]);
});

it('names facts of the model that are not its own', async () => {
  const forged = structuredClone(log);
  const [opened] = forged;
  if (opened?.type === 'run.opened') opened.model!.context = 64;
  expect((await again(forged)).differences[0]).toMatchObject({ n: 0, field: 'model.context', logged: 64 });
});

it('refuses another model', async () => {
  const { model } = trainablePlayer();
  const other = { ...model, card: { ...model.card, hash: 'other' } };
  await expect(regenerate(log, other, 1, readBlob)).rejects.toMatchObject({ code: 'log/not-this-run' });
});
