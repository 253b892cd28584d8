import { describe, expect, it } from 'vitest';
import { firstBreak, timeless } from '../log/chain.ts';
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { RunEvent as RunEventSchema } from '../log/events.ts';
import * as v from 'valibot';
import { smallRun, smallSettings } from './testing.ts';

/** A log without what a resume may change: numbers, links, times, interruptions. */
const essence = (events: RunEvent[]) =>
  events
    .filter((event) => event.type !== 'run.resumed')
    .map((event) => {
      const { n: _, prev: __, ...rest } = event;
      return timeless('episodes' in rest ? { ...rest, episodes: rest.episodes.length } : rest);
    });

const whole = await smallRun();

describe('a run', () => {
  it('writes valid, chained events and closes', async () => {
    const events = whole;
    expect(firstBreak(events)).toBeNull();
    for (const event of events) expect(v.safeParse(RunEventSchema, event).issues).toBeUndefined();
    expect(events[0]!.type).toBe('run.opened');
    expect(events.at(-1)!.type).toBe('run.closed');
  });

  it('is the same twice', async () => {
    expect((await smallRun()).map(timeless)).toEqual(whole.map(timeless));
  });

  it('resumes at any line to the same log', async () => {
    for (const at of [1, 9, 61, whole.length - 1]) {
      const resumed = await smallRun(smallSettings, whole.slice(0, at));
      expect(firstBreak(resumed)).toBeNull();
      expect(essence(resumed)).toEqual(essence(whole));
    }
  }, 60_000);

  it('plays the same strict instances for all arms and checkpoints, and none of them in exploration', async () => {
    const episodes = whole.filter((event): event is EpisodeEvent => event.type === 'episode');
    const snake = episodes.filter((episode) => episode.game === 'snake-v1' && episode.role === 'strict');
    const sets = new Map<string, string[]>();
    for (const { pathway, checkpoint, replicate, instance } of snake) {
      const key = `${pathway} ${checkpoint} ${replicate}`;
      sets.set(key, [...(sets.get(key) ?? []), instance]);
    }
    const all = [...sets.values()];
    for (const instances of all) expect(instances).toEqual(all[0]);
    const explored = episodes.filter((episode) => episode.game === 'snake-v1' && episode.phase === 'explore');
    expect(explored.filter((episode) => all[0]!.includes(episode.instance))).toEqual([]);
    expect(explored.length).toBeGreaterThan(0);
  });

  it('reads memory in strict episodes and writes nothing of them', async () => {
    const events = whole;
    const memories = events.flatMap((event) => (event.type === 'consolidation' && event.memory ? [event] : []));
    expect(memories.length).toBeGreaterThan(0);
    const kept = memories.flatMap((event) => event.kept.map((ref) => ref.episode));
    expect(kept.length).toBeGreaterThan(0);
    expect(Math.max(...kept)).toBeLessThan(4);
    const strict = events.filter(
      (event): event is EpisodeEvent =>
        event.type === 'episode' && event.phase === 'strict' && event.pathway === 'history' && event.checkpoint > 0,
    );
    expect(strict.length).toBeGreaterThan(0);
    const written = new Set(memories.map((event) => event.hash));
    for (const { memory } of strict) expect(written).toContain(memory);
  });
});
