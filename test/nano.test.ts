// The main job with the bundled model, whole but small: real answers, real LoRA training, the log, its verification.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { runConfig } from '../src/gym/config.ts';
import { cycle } from '../src/gym/cycle.ts';
import { localGameHost } from '../src/gym/host.ts';
import { regenerate } from '../src/gym/regenerate.ts';
import { verifyLog } from '../src/gym/verify.ts';
import { hashBytes } from '../src/hash.ts';
import { firstBreak, timeless } from '../src/log/chain.ts';
import { RunEvent, type AdapterSaved, type EpisodeEvent } from '../src/log/events.ts';
import { openModelByName, textByName } from '../src/models/open.node.ts';
import type { LanguageModel } from '../src/models/types.ts';
import { closingReport } from '../src/report/defaults.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const config = runConfig({
  games: ['snake-v1'],
  pathways: ['frozen', 'history-ranked', 'summary', 'training', 'training@oracle-experience'],
  explore: 4,
  every: 2,
  strict: 3,
  frozenReplicates: 1,
  trainSteps: 2,
  correct: true,
});

const blobs = new Map<string, Uint8Array>();
const readBlob = async (hash: string) => blobs.get(hash) ?? null;

async function run(model: LanguageModel, past: RunEvent[] = []): Promise<RunEvent[]> {
  const events = [...past];
  for await (const item of cycle({ config, model, host: localGameHost(), past, readBlob, report: closingReport })) {
    if (!('event' in item)) continue;
    events.push(item.event);
    for (const [hash, bytes] of Object.entries(item.blobs)) blobs.set(hash, bytes);
  }
  return events;
}

/** What must be equal after a resume: all but numbers, links, times, interruptions, and the machine. */
const essence = (events: RunEvent[]) =>
  events
    .filter((event) => event.type !== 'run.resumed')
    .map(({ n: _, prev: __, ...event }) => timeless('episodes' in event ? { ...event, episodes: 0 } : event));

let model: LanguageModel;
let log: RunEvent[];

beforeAll(async () => {
  expect(existsSync(`${root}/public/models/nano/model.safetensors`), 'the bundled model is in the repository').toBe(
    true,
  );
  model = await openModelByName('nano', root, { threads: 1 });
  log = await run(model);
}, 180_000);
afterAll(() => model.close());

const saved = () => log.filter((event): event is AdapterSaved => event.type === 'adapter.saved');

describe('the main job with nano', () => {
  it('writes a valid chain and closes', () => {
    for (const event of log) expect(v.safeParse(RunEvent, event).issues).toBeUndefined();
    expect(firstBreak(log)).toBeNull();
    expect(log.at(-1)!.type).toBe('run.closed');
  });

  it('answers well-formed nearly always', () => {
    const steps = log.flatMap((event) => (event.type === 'episode' ? event.steps : []));
    const formed = steps.filter((step) => step.action !== null && step.selfScore !== null);
    expect(formed.length / steps.length).toBeGreaterThanOrEqual(0.95);
  });

  it('changes every adapter tensor and no base weight', () => {
    const trained = saved().filter((event) => event.pathway === 'training@oracle-experience' && event.steps > 0);
    expect(trained.length).toBe(2);
    expect(new Set(saved().map((event) => event.baseHash)).size).toBe(1);
    expect(trained[0]!.hash).not.toBe(trained[0]!.before);
    expect(trained[1]!.before).toBe(trained[0]!.hash);
    const [first, second] = trained.map((event) => event.norms) as [Record<string, number>, Record<string, number>];
    expect(Object.keys(first).length).toBeGreaterThan(0);
    for (const [name, norm] of Object.entries(first)) {
      expect(norm, name).toBeGreaterThan(0);
      expect(second[name], name).not.toBe(norm);
    }
  });

  it('verifies, blobs included, and decodes again to the same tokens', async () => {
    const text = await textByName('nano', root);
    const result = await verifyLog(log, { report: closingReport, readBlob, hashBlob: hashBytes, text });
    expect(result).toMatchObject({ differences: [], unchecked: [] });
    const again = await regenerate(log, model, 8, readBlob);
    expect(again).toMatchObject({ episodes: 8, differences: [] });
    expect(again.calls).toBeGreaterThan(0);
  }, 60_000);

  it('is the same with two threads', async () => {
    const two = await openModelByName('nano', root, { threads: 2 });
    expect((await run(two)).map(timeless)).toEqual(log.map(timeless));
    await two.close();
  }, 180_000);

  it('resumes in the middle of training to the same log', async () => {
    const at = log.findIndex((event) => event.type === 'adapter.saved' && event.x === 2) + 1;
    for (const cut of [at, at - 1]) {
      const other = await openModelByName('nano', root, { threads: 1 });
      expect(essence(await run(other, log.slice(0, cut)))).toEqual(essence(log));
      await other.close();
    }
  }, 180_000);

  it('shows the expert’s actions with the model’s own scores under oracle experience', () => {
    const explored = log.filter(
      (event): event is EpisodeEvent =>
        event.type === 'episode' && event.phase === 'explore' && event.pathway.includes('@'),
    );
    const apples = explored.map((event) => event.score);
    expect(Math.min(...apples)).toBeGreaterThanOrEqual(3);
    expect(explored.flatMap((event) => event.steps).every((step) => step.valid)).toBe(true);
  });
});
