// What the bar promises is what is played.
import { expect, test } from 'vitest';
import type { Live } from './live.ts';
import { smallRun, smallSettings } from './testing.ts';

async function promised(settings: typeof smallSettings, from?: { memory: string }) {
  const seen: Extract<Live, { kind: 'progress' }>[] = [];
  const watch = (live: Live) => live.kind === 'progress' && seen.push(live);
  const events = await smallRun(settings, [], { watch, ...(from ? { from } : {}) });
  const played = events.filter(({ type }) => type === 'episode').length;
  return { first: seen[0]!.total, last: seen.at(-1)!.done, played };
}

test.each([
  ['every kind of arm', { ...smallSettings, games: ['trust-v1'] }],
  ['no frozen arm, two games', { ...smallSettings, pathways: ['history', 'frozen-sharp'], replicates: 2, explore: 3 }],
  ['two seeds', { ...smallSettings, games: ['trust-v1'], pathways: ['frozen', 'summary'], seeds: [1, 2] }],
])('%s', async (_, settings) => {
  const { first, last, played } = await promised(settings);
  expect([first, last]).toEqual([played, played]);
});

test('a run that starts from a memory measures it first', async () => {
  const { first, last, played } = await promised(
    { ...smallSettings, games: ['trust-v1'], pathways: ['frozen', 'history'] },
    { memory: 'x' },
  );
  expect([first, last]).toEqual([played, played]);
});
