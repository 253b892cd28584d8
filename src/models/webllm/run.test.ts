// Whole runs by WebLLM's adapter on a scripted engine: what the gym asks, what the log keeps, what verify says of it.
import { expect, test } from 'vitest';
import { stream } from '../../../games/rng.ts';
import type { EpisodeEvent } from '../../log/events.ts';
import { smallRun } from '../../gym/testing.ts';
import { verifyLog } from '../../gym/verify.ts';
import { PromptReader } from '../../log/prompts.ts';
import type { Request } from './api.ts';
import { openWebllm } from './index.ts';
import { DEVICE, ENTRY, hostOf, mapCaches, scriptedModule } from './testing.ts';

/** Thinks, then answers, scores or writes a tip; keeps to a beginning that its grammar forces. */
function answer({ messages, seed, response_format: format }: Request): string[] {
  const rng = stream('webllm', seed ?? 0, messages.length);
  const last = String(messages.at(-1)!.content);
  const grammar = format?.grammar ?? '';
  const [, forced] = /^root ::= "([^"]*)"/.exec(grammar) ?? [];
  const number = `${rng.int(3) - 1}`;
  if (forced !== undefined) {
    return [
      forced.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      ' ',
      number,
      '\n',
    ];
  }
  if (last.includes('You judge an action')) return ['It may pay.', '\nScore: ', number];
  if (last.includes('Tips')) return ['Tips: ', 'retain: ', `tip ${rng.int(9)}`, '\n'];
  return [
    '<think>',
    '\nWhat would he do?\n',
    '</think>',
    '\n\nAnswer: ',
    rng.pick(['collaborate', 'cheat']),
    ', Score: ',
    number,
    '\n',
  ];
}

test('a run of trust with history, tips, an expert’s actions and a judge pass verifies; thoughts are kept and never said again', async () => {
  const caches = mapCaches(hostOf());
  const { module, engines } = scriptedModule({ answer }, caches);
  const model = await openWebllm({
    ...{ name: `webllm:${ENTRY.model_id}`, load: async () => module, caches },
    ...{ device: async () => DEVICE, counter: () => (text: string) => text.length / 4 },
  });
  // Roomier than the entry's window: each prompt is to fit.
  const roomy = { ...model, card: { ...model.card, context: 8192 } };
  const events = await smallRun(
    {
      ...{ games: ['trust-v1'], explore: 2, every: 1, strict: 2, judge: 'pass' },
      pathways: ['frozen', 'history', 'summary', 'history@oracle-experience'],
    },
    [],
    { model: roomy },
  );
  const verification = await verifyLog(events, { report: () => ({ report: null, ledger: null }) });
  expect(verification.differences).toEqual([]);
  expect(verification.unchecked.join()).toContain('tokenizer is not here');

  const episodes = events.filter((event): event is EpisodeEvent => event.type === 'episode');
  const steps = episodes.flatMap((event) => event.steps);
  expect(steps.every(({ valid }) => valid)).toBe(true);
  const thinking = steps.filter(({ thought }) => thought !== undefined);
  expect(new Set(thinking.map(({ thought }) => thought))).toEqual(new Set(['What would he do?']));
  expect(
    thinking.every(
      ({ completion, completionTokens }) => /^Answer: .*\n$/.test(completion) && completionTokens.length === 8,
    ),
  ).toBe(true);
  // An expert's actions are forced; then nothing is thought.
  const forced = episodes.filter(({ pathway, phase }) => pathway.includes('experience') && phase === 'explore');
  expect(forced.length).toBeGreaterThan(0);
  expect(forced.flatMap((event) => event.steps).every(({ thought }) => thought === undefined)).toBe(true);

  const reader = new PromptReader();
  const prompts = events.flatMap((event) =>
    event.type === 'episode' ? reader.episode(event) : (reader.fold(event), []),
  );
  expect(prompts.some(({ text }) => /\[user\]\n[^]*\[assistant\]\nAnswer: [^]*\[user\]\n/.test(text))).toBe(true);
  expect(prompts.every(({ text }) => !text.includes('What would he do'))).toBe(true);

  const { requests } = engines[0]!;
  const judged = requests.filter(({ messages }) => String(messages[0]!.content).includes('You judge an action'));
  expect(judged.length).toBeGreaterThan(10);
  expect(judged.length).toBe(steps.filter(({ judge }) => judge).length);
  expect(
    judged.every(({ temperature, response_format: format }) => temperature === 0 && format?.type === 'grammar'),
  ).toBe(true);
  // One message is never everything: a later step has the earlier ones as turns.
  expect(Math.max(...requests.map(({ messages }) => messages.length))).toBeGreaterThan(6);
});
