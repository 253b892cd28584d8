import { expect, it, vi } from 'vitest';
import { smallRun } from '../../gym/testing.ts';
import type { LabMessage } from '../../workers/contract.ts';
import { framesOf } from '../reader/frames.ts';
import type { EpisodeEvent } from '../../log/events.ts';
import { Player } from './player.ts';

const events = await smallRun({
  games: ['snake-v1'],
  pathways: ['frozen', 'history'],
  explore: 2,
  every: 1,
  strict: 2,
});

function play(frames = async (n: number) => framesOf(events[n] as EpisodeEvent)) {
  const failed: unknown[] = [];
  const messages: LabMessage[] = [];
  const lines: number[] = [];
  const shown: { line: number; step: number; completion: string }[] = [];
  let ended = false;
  const player = new Player({
    emit: (message) => {
      messages.push(message);
      if (message.kind === 'live' && message.live.kind === 'step') shown.push({ line: lines.at(-1)!, ...message.live });
    },
    skip: (events) => messages.push(...events.map((event): LabMessage => ({ kind: 'event', runId: '', event }))),
    frames,
    episode: (n) => lines.push(n),
    ended: () => (ended = true),
    failed: (error) => failed.push(error),
  });
  return {
    player,
    messages,
    shown,
    failed,
    isOver: () => ended,
    told: () => messages.filter(({ kind }) => kind === 'event').length,
  };
}

it('tells every event once, in order, with boards and rewards that stay away until an episode is over', async () => {
  vi.useFakeTimers();
  const { player, messages, shown, isOver } = play();
  player.append(events);
  player.complete();
  player.play();
  await vi.advanceTimersByTimeAsync(120_000);
  vi.useRealTimers();
  expect(isOver()).toBe(true);
  expect(messages.flatMap((message) => (message.kind === 'event' ? message.event.n : []))).toEqual(
    events.map(({ n }) => n),
  );
  const steps = messages.flatMap((message) =>
    message.kind === 'live' && message.live.kind === 'step' ? message.live : [],
  );
  expect(steps.length).toBeGreaterThan(10);
  for (const step of steps) {
    expect(step.rewards !== null).toBe(step.over);
    expect(step.board).toContain('heading');
  }
  // The line that the page was told of is the episode of the step that it shows.
  for (const { line, step, completion } of shown)
    expect((events[line] as EpisodeEvent).steps[step - 1]!.completion).toBe(completion);
});

it('one episode: plays to its end and stands still', async () => {
  vi.useFakeTimers();
  const { player, messages, told } = play();
  player.append(events);
  player.complete();
  player.step();
  await vi.advanceTimersByTimeAsync(60_000);
  const count = told();
  expect(messages.at(-1)).toMatchObject({ kind: 'state', state: 'paused' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told()).toBe(count);
  player.finish();
  await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
  expect(told()).toBe(events.length);
});

it('where no board can be made, it says so once and shows what was logged', async () => {
  vi.useFakeTimers();
  const gone = new Error('the reader is gone');
  const { player, messages, failed, isOver } = play(() => Promise.reject(gone));
  player.append(events);
  player.complete();
  player.play();
  await vi.advanceTimersByTimeAsync(120_000);
  vi.useRealTimers();
  expect([isOver(), failed]).toEqual([true, [gone]]);
  const steps = messages.flatMap((message) =>
    message.kind === 'live' && message.live.kind === 'step' ? message.live : [],
  );
  expect(steps.length).toBeGreaterThan(10);
  for (const step of steps) expect(step.board).toBe(step.observation);
});
