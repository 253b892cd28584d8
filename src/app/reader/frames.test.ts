import { expect, test } from 'vitest';
import { smallRun } from '../../gym/testing.ts';
import type { EpisodeEvent } from '../../log/events.ts';
import { framesOf } from './frames.ts';

test('an episode’s frames are its steps with their boards, and the end', async () => {
  const events = await smallRun({ games: ['snake-v1'], pathways: ['frozen'], strict: 2, frozenReplicates: 1 });
  const episode = events.find((event): event is EpisodeEvent => event.type === 'episode')!;
  const { frames, stepCap } = framesOf(episode);
  expect(frames.length).toBe(episode.steps.length + 1);
  expect(stepCap).toBeGreaterThanOrEqual(episode.steps.length);
  for (const [i, { observation, action, reward }] of episode.steps.entries()) {
    expect(frames[i]).toMatchObject({ observation, action, reward });
    expect(frames[i]!.board).toContain('\n');
  }
  expect(frames.at(-1)).toMatchObject({ action: null, selfScore: null, reward: null });
  const unknown = framesOf({ ...episode, game: 'go-v1' });
  expect(unknown.frames.map(({ board }) => board)).toEqual([
    ...episode.steps.map(({ observation }) => observation),
    episode.steps.at(-1)!.observation,
  ]);
});
