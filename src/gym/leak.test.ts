import { describe, expect, it } from 'vitest';
import { localGameHost } from './host.ts';
import { findLeak, scrambledHost } from './leak.ts';
import { hiddenRewardArms } from './registry.ts';
import { smallRun, smallSettings, trainablePlayer } from './testing.ts';

const pathways = hiddenRewardArms().map(({ name }) => name);
const settings = { ...smallSettings, games: ['trust-v1'], explore: 2, strict: 1, trainSteps: 1, pathways };
const run = (options: Parameters<typeof smallRun>[2] = {}, given = settings) =>
  smallRun(given, [], { model: trainablePlayer().model, ...options });

describe('a scrambled verifier', () => {
  it('is held against every hidden-reward arm, controls and a judge pass among them', () => {
    for (const name of ['frozen', 'history', 'history-ranked', 'history-shuffled', 'summary', 'training'])
      expect(pathways).toContain(name);
    expect(pathways).toContain('training-random');
    expect(pathways).toContain('history@judge-pass');
    expect(pathways.filter((name) => /oracle|sharp/.test(name))).toEqual([]);
  });

  it('changes no text of a hidden-reward run', async () => {
    const plain = await run();
    const scrambled = await run({ host: scrambledHost(localGameHost()) });
    const scores = (events: typeof plain) => events.flatMap((event) => (event.type === 'episode' ? [event.score] : []));
    expect(scores(scrambled)).not.toEqual(scores(plain));
    expect(findLeak(plain, scrambled)).toBeNull();
  });

  it('is noticed in an arm that reads the reward: the check can fail', async () => {
    const fed = { ...settings, pathways: ['frozen', 'history@oracle-judge'] };
    const plain = await run({}, fed);
    const scrambled = await run({ host: scrambledHost(localGameHost()) }, fed);
    expect(findLeak(plain, scrambled)).not.toBeNull();
  });
});
