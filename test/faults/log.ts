// Small valid logs for tests, made through the real chain.
import { hashText } from '../../src/hash.ts';
import { Chain, timeless } from '../../src/log/chain.ts';
import type { Draft, EpisodeEvent, RunEvent } from '../../src/log/events.ts';
import { PromptWriter } from '../../src/log/prompts.ts';

export const openedDraft = (config: Record<string, string | number> = {}): Draft => ({
  type: 'run.opened',
  at: 1_700_000_000_000,
  format: 1,
  config: { model: 'scripted', games: ['count-v1'], pathways: ['frozen'], preset: 'pocket', ...config },
  seeds: [1],
  hashes: { model: 'm', tokenizer: 't', prompts: {}, games: {}, code: 'test' },
  arms: [{ name: 'frozen', plugin: 'frozen', version: '1', reads: [], label: 'hidden-reward' }],
});

export function episodeDraft(index: number, writer: PromptWriter, steps = 3): Draft<EpisodeEvent> {
  const head = 'Rules: '.padEnd(120, 'say the number. ');
  let text = `${head}\nEnv: ${index}`;
  let before: { promptText: string } | undefined;
  return {
    type: 'episode',
    at: 1_700_000_000_000 + index,
    runSeed: 1,
    pathway: 'frozen',
    game: 'count-v1',
    preset: 'pocket',
    phase: 'explore',
    role: 'exploration',
    split: 'strict',
    options: {},
    replicate: 0,
    index,
    seed: index,
    decodeSeed: index,
    temperature: 1,
    instance: hashText(`instance ${index}`),
    checkpoint: 0,
    adapter: null,
    memory: null,
    steps: Array.from({ length: steps }, (_, step) => {
      const prompt = writer.step(head, text, before);
      before = { promptText: text };
      text += ` Answer: ${step}, Score: 1\nEnv: ${step}`;
      return {
        observation: `number ${step}`,
        prompt,
        promptTokens: { keep: step, ids: [step + 5] },
        completion: ` Answer: ${step}, Score: 1`,
        completionTokens: [step],
        action: String(step),
        selfScore: 1,
        judgeScore: null,
        reward: 0.5,
        feedback: 'hit',
        valid: true,
        maskMode: 'off' as const,
        maskedMass: 0,
        logprob: -1.25,
        finish: 'stop' as const,
        decodeMs: 12,
      };
    }),
    score: steps / 2,
    success: false,
    endReason: 'rule',
    playMs: 40,
  };
}

/** run.opened, then `episodes` episodes, then, if `closed`, run.closed. */
export function smallLog(episodes = 3, closed = true): RunEvent[] {
  const chain = new Chain();
  const writer = new PromptWriter();
  const events = [chain.link(openedDraft())];
  for (let i = 0; i < episodes; i++) events.push(chain.link(episodeDraft(i, writer)));
  if (closed) events.push(chain.link({ type: 'run.closed', reason: 'done', report: { mean: 1.5 }, ledger: {} }));
  return events;
}

/** A log without what a resume may change: places, links, times, interruptions. */
export const essence = (events: readonly RunEvent[]): string[] =>
  events
    .filter(({ type }) => type !== 'run.resumed' && type !== 'run.failed')
    .map((event) => {
      const kept = Object.entries(event).filter(([key]) => key !== 'n' && key !== 'prev');
      return timeless(
        Object.fromEntries(
          kept.map(([key, value]) => [key, key === 'episodes' && Array.isArray(value) ? value.length : value]),
        ),
      );
    });
