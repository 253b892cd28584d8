import { describe, expect, it } from 'vitest';
import { Chain } from '../log/chain.ts';
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { smallRun, smallSettings } from './testing.ts';
import { verifyLog } from './verify.ts';

const report = () => ({ report: null, ledger: null });
const log = await smallRun({
  ...smallSettings,
  games: ['trust-v1'],
  pathways: ['frozen', 'history', 'summary', 'frozen-sharp'],
  explore: 2,
  strict: 2,
});
const check = (events: RunEvent[]) => verifyLog(events, { report });

/** The log with one event changed and, as a careful forger would, every link made anew. */
function forge(change: (event: RunEvent) => RunEvent): RunEvent[] {
  const chain = new Chain();
  return structuredClone(log).map((event) => {
    const { n: _, prev: __, ...draft } = change(event);
    return chain.link(draft as never);
  });
}
const firstEpisode = log.find((event): event is EpisodeEvent => event.type === 'episode' && event.steps.length > 1)!;
const onEpisode = (change: (event: EpisodeEvent) => void) =>
  forge((event) => {
    if (event.n === firstEpisode.n) change(event as EpisodeEvent);
    return event;
  });

describe('verify', () => {
  it('accepts a log as it was written', async () => {
    expect((await check(log)).differences).toEqual([]);
  });

  it('names the line that was dropped, swapped or edited without its links', async () => {
    expect((await check(log.filter((event) => event.n !== 5))).differences[0]).toMatchObject({
      n: 5,
      field: 'n',
      logged: 6,
    });
    const edited = structuredClone(log);
    (edited[firstEpisode.n] as EpisodeEvent).score += 1;
    expect((await check(edited)).ok).toBe(false);
    const swapped = structuredClone(log);
    [swapped[4], swapped[5]] = [swapped[5]!, swapped[4]!];
    expect((await check(swapped)).ok).toBe(false);
  });

  const tampering: [string, (event: EpisodeEvent) => void, RegExp][] = [
    ['score', (event) => void (event.score += 1), /score/],
    ['success', (event) => void (event.success = !event.success), /success/],
    ['reward', (event) => void (event.steps[0]!.reward += 1), /steps\[0\]\.reward/],
    ['action', (event) => void (event.steps[0]!.action = 'cheat '), /action/],
    ['self-score', (event) => void (event.steps[1]!.selfScore = 17), /steps\[1\]\.selfScore/],
    ['observation', (event) => void (event.steps[0]!.observation += '!'), /observation/],
    ['feedback', (event) => void (event.steps[0]!.feedback = 'well done'), /feedback/],
    ['validity', (event) => void (event.steps[0]!.valid = !event.steps[0]!.valid), /valid/],
    ['seed', (event) => void (event.seed = 123), /^seed$/],
    ['decode seed', (event) => void (event.decodeSeed += 1), /decodeSeed/],
    ['instance', (event) => void (event.instance = 'a'.repeat(64)), /instance/],
    ['end', (event) => void (event.endReason = 'stopped'), /endReason/],
    ['prompt text', (event) => void (event.steps[0]!.prompt.parts[0] = 'other rules'), /bad-prompt/],
    ['prompt ids', (event) => void (event.steps[1]!.promptTokens.keep += 10_000), /bad-prompt/],
    ['a step left out', (event) => void event.steps.pop(), /steps|score|end/],
  ];
  it.each(tampering)('finds a changed %s though every link was made anew', async (_, change, field) => {
    const { differences } = await check(onEpisode(change));
    expect(differences[0]).toMatchObject({ n: firstEpisode.n, field: expect.stringMatching(field) });
  });

  it('finds changed checkpoints, memories and choices', async () => {
    const checkpoint = forge((event) =>
      event.type === 'checkpoint' ? { ...event, scores: event.scores.map((s) => s + 1) } : event,
    );
    expect((await check(checkpoint)).differences[0]!.field).toBe('scores[0]');
    const memory = forge((event) => (event.type === 'consolidation' ? { ...event, memory: 'always win' } : event));
    expect((await check(memory)).differences[0]!.field).toBe('memory');
    const choice = forge((event) =>
      event.type === 'plugin' ? { ...event, payload: { ...(event.payload as object), temperature: 3 } } : event,
    );
    expect((await check(choice)).differences[0]!.field).toBe('payload.temperature');
    const closed = forge((event) => (event.type === 'run.closed' ? { ...event, report: { mean: 3 } } : event));
    expect((await check(closed)).differences[0]!.field).toBe('report');
  }, 60_000);
});
