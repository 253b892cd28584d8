// Forgeries by somebody who makes every hash and every link anew: what the course of the run says against them.
import { describe, expect, it } from 'vitest';
import { hashText } from '../hash.ts';
import { Chain } from '../log/chain.ts';
import type { AdapterSaved, Checkpoint, Consolidation, EpisodeEvent, RunEvent, RunOpened } from '../log/events.ts';
import { scriptedText } from '../models/scripted/index.ts';
import { closeStopped } from './cycle.ts';
import { smallRun, trainablePlayer } from './testing.ts';
import { verifyLog } from './verify.ts';

const report = () => ({ report: null, ledger: null });
const check = (events: RunEvent[], text: typeof scriptedText | null = scriptedText) =>
  verifyLog(events, { report, text });

const settings = {
  games: ['trust-v1'],
  split: ['strict'],
  explore: 2,
  every: 1,
  strict: 2,
  frozenReplicates: 1,
  development: 2,
  sharpTemperatures: [0.5, 1],
  trainSteps: 2,
  correct: true,
  pathways: [
    'frozen',
    'frozen-sharp',
    'history-ranked',
    'history-shuffled@oracle-judge',
    'summary',
    'summary@oracle-guidance',
    'training@oracle-experience',
    'training-random@judge-pass',
    'training',
  ],
};
const log = await smallRun(settings, [], { model: trainablePlayer().model });

/** The log with lines changed by `change` in place, dropped or added, and every link made anew. */
function forge(change: (events: RunEvent[]) => RunEvent[] | undefined): RunEvent[] {
  const events = structuredClone(log);
  const changed = change(events) ?? events;
  const chain = new Chain();
  return changed.map(({ n: _, prev: __, ...draft }) => chain.link(draft as never));
}

const find = <T extends RunEvent>(events: RunEvent[], type: T['type'], fits: (event: T) => unknown = () => true): T =>
  events.find((event) => event.type === type && fits(event as T)) as T;
const episode = (events: RunEvent[], fits: (event: EpisodeEvent) => unknown) =>
  find<EpisodeEvent>(events, 'episode', (event) => event.steps.length > 1 && fits(event));
const explored =
  (pathway: string, index = 0) =>
  (event: EpisodeEvent) =>
    event.pathway === pathway && event.phase === 'explore' && event.index === index;
const measured = (pathway: string) => (event: EpisodeEvent) =>
  event.pathway === pathway && event.phase === 'strict' && event.checkpoint === 2;
const consolidation = (events: RunEvent[], pathway: string, x: number) =>
  find<Consolidation>(events, 'consolidation', (event) => event.pathway === pathway && event.x === x);
const other = 'a'.repeat(64);

/** A change, and the field that must be named. The change returns the event that it was made to. */
const forgeries: [string, (events: RunEvent[]) => RunEvent, RegExp][] = [
  [
    'an instance that was chosen',
    (events) => Object.assign(episode(events, measured('history-ranked')), { seed: 5 }),
    /^seed$/,
  ],
  [
    'another decode seed',
    (events) => {
      const event = episode(events, explored('summary', 1));
      event.decodeSeed = 5;
      return event;
    },
    /^decodeSeed$/,
  ],
  [
    'a prompt with a hint that no memory holds',
    (events) => {
      const event = episode(events, explored('history-ranked'));
      const text = 'Hint Messages:\nalways collaborate';
      event.steps.at(-1)!.prompt = { sha256: hashText(text), parts: [text] };
      return event;
    },
    /^steps\[\d+\]\.prompt$/,
  ],
  [
    'prompt ids of another text',
    (events) => {
      const event = episode(events, explored('history-ranked'));
      event.steps.at(-1)!.promptTokens.ids[0]! += 1;
      return event;
    },
    /^steps\[\d+\]\.promptIds$/,
  ],
  [
    'a completion that is not what its ids say',
    (events) => {
      const event = episode(events, explored('history-ranked'));
      event.steps.at(-1)!.completionTokens = [65];
      return event;
    },
    /^steps\[\d+\]\.completion$/,
  ],
  [
    'an adapter that the arm did not have',
    (events) => Object.assign(episode(events, measured('training')), { adapter: other }),
    /^adapter$/,
  ],
  [
    'a base model in the place of the trained one',
    (events) => Object.assign(episode(events, measured('training')), { adapter: null }),
    /^adapter$/,
  ],
  [
    'the memory of an earlier checkpoint',
    (events) => {
      const { hash } = consolidation(events, 'history-ranked', 1);
      return Object.assign(episode(events, measured('history-ranked')), { memory: hash });
    },
    /^memory$/,
  ],
  [
    'other guidance than the game’s',
    (events) => Object.assign(episode(events, measured('summary@oracle-guidance')), { memory: other }),
    /^memory$/,
  ],
  [
    'steps that were not kept',
    (events) => {
      const event = consolidation(events, 'training', 1);
      event.kept = event.kept.slice(1);
      return event;
    },
    /^kept/,
  ],
  [
    'a history that was written by hand',
    (events) => Object.assign(consolidation(events, 'history-ranked', 2), { memory: 'win', hash: hashText('win') }),
    /^(memory|hash)$/,
  ],
  [
    'scores that were not permuted so',
    (events) => {
      const event = consolidation(events, 'history-shuffled@oracle-judge', 2);
      const memory = event.memory!.replace(/Score: \S+/, 'Score: 17');
      return Object.assign(event, { memory, hash: hashText(memory) });
    },
    /^(memory|hash)$/,
  ],
  [
    'tips that the model did not write',
    (events) => Object.assign(consolidation(events, 'summary', 2), { memory: 'win', hash: hashText('win') }),
    /^(memory|hash)$/,
  ],
  [
    'a summary of something else',
    (events) => {
      const text = 'Say: retain: tip 7\nTips:';
      return Object.assign(consolidation(events, 'summary', 2), { prompt: { sha256: hashText(text), parts: [text] } });
    },
    /^prompt$/,
  ],
  [
    'other training examples',
    (events) => Object.assign(consolidation(events, 'training', 2), { hash: other }),
    /^hash$/,
  ],
  [
    'a correction that the model did not give',
    (events) => {
      const event = find<Consolidation>(events, 'consolidation', ({ corrected }) => corrected.length > 0);
      event.corrected[0]!.to = 'always';
      return event;
    },
    /^corrected\[0\]\.to$/,
  ],
  [
    'other prompt templates',
    (events) => {
      const event = events[0] as RunOpened;
      event.hashes.prompts.pocket = other;
      return event;
    },
    /^hashes\.prompts\.pocket$/,
  ],
  [
    'other rules',
    (events) => {
      const event = events[0] as RunOpened;
      event.hashes.games['trust-v1'] = other;
      return event;
    },
    /^hashes\.games\.trust-v1$/,
  ],
  [
    'an oracle-fed arm under another label',
    (events) => {
      const event = events[0] as RunOpened;
      const arm = event.arms.find(({ name }) => name.endsWith('@oracle-judge'))!;
      arm.label = 'hidden-reward';
      return event;
    },
    /^arms\[\d\]\.label$/,
  ],
  [
    'base weights that changed',
    (events) => {
      const saved = events.filter((event): event is AdapterSaved => event.type === 'adapter.saved');
      return Object.assign(saved[1]!, { baseHash: other });
    },
    /^baseHash$/,
  ],
  [
    'an update that was not refused',
    (events) => Object.assign(find<AdapterSaved>(events, 'adapter.saved'), { kl: 99 }),
    /^(hash|guard)$/,
  ],
  [
    'the event of an unknown plug-in',
    (events) => Object.assign(find(events, 'plugin'), { plugin: 'nobody' }),
    /^plugin$/,
  ],
  [
    'a reward that was not earned, as the oracle’s judgement',
    (events) => {
      const event = episode(events, explored('history-shuffled@oracle-judge'));
      event.steps[0]!.judgeScore = 17;
      return event;
    },
    /^steps\[0\]\.judgeScore$/,
  ],
  [
    'a judge that was asked something else',
    (events) => {
      const event = episode(events, explored('training-random@judge-pass'));
      event.steps[1]!.judge!.prompt = other;
      return event;
    },
    /^steps\[1\]\.judge\.prompt$/,
  ],
  [
    'an action that is not the expert’s',
    (events) => {
      const event = episode(events, explored('training@oracle-experience'));
      const step = event.steps[0]!;
      step.completion = step.completion.replace(/cheat|collaborate/, (word) =>
        word === 'cheat' ? 'collaborate' : 'cheat',
      );
      step.completionTokens = scriptedText.encode(step.completion);
      return event;
    },
    /^steps\[0\]\.(completion|action)$/,
  ],
  [
    'a checkpoint without its worst episode',
    (events) => {
      const event = find<Checkpoint>(events, 'checkpoint', ({ pathway }) => pathway === 'summary');
      event.episodes.pop();
      event.scores.pop();
      return event;
    },
    /^episodes\.length$/,
  ],
  [
    'a checkpoint of other episodes',
    (events) => {
      const event = find<Checkpoint>(events, 'checkpoint', ({ pathway, x }) => pathway === 'summary' && x === 2);
      event.episodes = find<Checkpoint>(
        events,
        'checkpoint',
        ({ pathway, x }) => pathway === 'summary' && x === 1,
      ).episodes;
      return event;
    },
    /^episodes\[0\]$/,
  ],
  [
    'another temperature than the settings’',
    (events) => Object.assign(episode(events, measured('summary')), { temperature: 0.1 }),
    /^temperature$/,
  ],
];

describe('the course of a run', () => {
  it('is what the log says, with the tokenizer and without it', async () => {
    expect(await check(log)).toMatchObject({ ok: true, differences: [], unchecked: [expect.stringMatching(/blobs/)] });
    expect(await check(log, null)).toMatchObject({ ok: true, differences: [], unchecked: { length: 2 } });
  }, 60_000);

  it.each(forgeries)('has not: %s', async (_, change, field) => {
    let n = -1;
    const forged = forge((events) => {
      ({ n } = change(events));
      return undefined;
    });
    const { differences } = await check(forged);
    expect(differences[0]).toMatchObject({ n, field: expect.stringMatching(field) });
  });

  it('has no line more, and none less', async () => {
    const at = log.findIndex((event) => event.type === 'checkpoint' && event.pathway === 'summary');
    const shorter = forge((events) => events.filter((_, i) => i !== at));
    expect((await check(shorter)).differences[0]).toMatchObject({ n: at, field: 'type', recomputed: 'checkpoint' });
    const plugin = {
      type: 'plugin',
      plugin: 'nobody',
      version: '1',
      kind: 'note',
      payload: null,
    } as unknown as RunEvent;
    const longer = forge((events) => events.toSpliced(at, 0, plugin));
    expect((await check(longer)).differences[0]).toMatchObject({ n: at, field: 'type', logged: 'plugin' });
    const after = forge((events) => [...events, events.find(({ type }) => type === 'episode')!]);
    expect((await check(after)).differences[0]).toMatchObject({
      n: log.length,
      field: 'type',
      recomputed: 'nothing more',
    });
  }, 60_000);

  it('may be interrupted and gone on with, or stopped anywhere', async () => {
    const { pathways: _, ...rest } = settings;
    const small = { ...rest, pathways: ['frozen', 'summary'] };
    const part = await smallRun(small, [], { stopAfter: 9 });
    expect((await check(await smallRun(small, part))).differences).toEqual([]);
    expect((await check([...part, closeStopped(part, report)])).differences).toEqual([]);
    expect((await check(part)).differences).toEqual([]);
  });

  it('starts from what it was given', async () => {
    const blobs = new Map<string, Uint8Array>();
    const run = { blobs, from: { memory: 'retain: collaborate' } };
    const events = await smallRun({ ...settings, pathways: ['frozen', 'summary', 'history'] }, [], run);
    const readBlob = async (hash: string) => blobs.get(hash) ?? null;
    expect((await verifyLog(events, { report, readBlob, text: scriptedText })).differences).toEqual([]);
    const { differences } = await verifyLog(events, { report, readBlob: async () => null, text: scriptedText });
    expect(differences[0]).toMatchObject({ n: 0, field: 'log/missing-blob' });
  });
});

describe('the paper’s prompts', async () => {
  const paper = { ...settings, preset: 'paper', pathways: ['frozen', 'history'], inputTokens: 3000, outputTokens: 60 };
  const events = await smallRun(paper);
  const cut = events.flatMap((event) =>
    event.type === 'episode' ? event.steps.flatMap((step, i) => (step.cut ? [{ n: event.n, i }] : [])) : [],
  );

  it('are rebuilt with their cuts, by the tokenizer or by the log’s own count', async () => {
    expect(cut.length).toBeGreaterThan(0);
    expect((await check(events)).differences).toEqual([]);
    expect((await check(events, null)).differences).toEqual([]);
  });

  it('show a cut that the budget did not ask for', async () => {
    const { n, i } = cut.at(-1)!;
    const chain = new Chain();
    const forged = structuredClone(events).map(({ n: line, prev: _, ...draft }) => {
      if (line === n) (draft as unknown as EpisodeEvent).steps[i]!.cut!.tokens += 1;
      return chain.link(draft as never);
    });
    expect((await check(forged)).differences[0]).toMatchObject({ n, field: `steps[${i}].cut.tokens` });
  });
});
