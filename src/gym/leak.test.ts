import { describe, expect, it } from 'vitest';
import { localGameHost } from './host.ts';
import { findLeak, scrambledHost } from './leak.ts';
import { smallRun, smallSettings } from './testing.ts';

const settings = { ...smallSettings, games: ['trust-v1'], explore: 2, pathways: ['frozen', 'history', 'summary'] };

describe('a scrambled verifier', () => {
  it('changes no text of a hidden-reward run', async () => {
    const plain = await smallRun(settings);
    const scrambled = await smallRun(settings, [], { host: scrambledHost(localGameHost()) });
    const scores = (events: typeof plain) => events.flatMap((event) => (event.type === 'episode' ? [event.score] : []));
    expect(scores(scrambled)).not.toEqual(scores(plain));
    expect(findLeak(plain, scrambled)).toBeNull();
  });

  it('is noticed in an arm that reads the reward: the check can fail', async () => {
    const fed = { ...settings, pathways: ['frozen', 'history@oracle-judge'] };
    const plain = await smallRun(fed);
    const scrambled = await smallRun(fed, [], { host: scrambledHost(localGameHost()) });
    expect(findLeak(plain, scrambled)).not.toBeNull();
  });
});
