// The family, the instances, the shares, the views and the answers.
import { describe, expect, test } from 'vitest';
import type { Phase, Preset } from '../contract.ts';
import { advance, observe, reset } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs } from './config.ts';
import { continuations, rulesByPeriod, walk, type Cell } from './family.ts';
import { generate } from './generate.ts';
import game from './index.ts';
import { line, readBoard } from './views.ts';

type Policy = (config: never, state: unknown, rng: ReturnType<typeof stream>) => string;

function mean(preset: Preset, phase: Phase, name: string, episodes: number) {
  const policy = (game.strategies as Record<string, Policy>)[name]!;
  let sum = 0;
  for (let seed = 0; seed < episodes; seed++) {
    let episode = reset(game, { preset, phase, seed });
    const rng = stream(seed, name);
    while (!episode.end) {
      const { episode: next, report } = advance(episode, policy(episode.config as never, episode.state, rng));
      expect(report.valid).toBe(true);
      episode = next;
    }
    sum += episode.score;
  }
  return sum / episodes;
}

describe('the family', () => {
  test('24 rules of one beat, 552 of two', () => {
    expect(rulesByPeriod.map((rules) => rules.length)).toEqual([24, 552]);
  });

  test('a wall mirrors and flips its axis for both beats', () => {
    const board = { rows: 4, cols: 7 };
    // Rows: 2, +2 -> 4 -> mirrored to 2, then -2, -2 (mirrored, flips back); columns never meet a wall.
    expect(walk(board, [2, 0], [[2, 1]], 5)).toEqual([[2, 0], [2, 1], [0, 2], [2, 3], [2, 4]]); // prettier-ignore
    expect(walk(board, [3, 3], [[1, 0], [0, 1]], 5)).toEqual([[3, 3], [2, 3], [2, 4], [1, 4], [1, 5]]); // prettier-ignore
  });

  test('landing on a wall is no reflection', () => {
    expect(walk({ rows: 3, cols: 9 }, [0, 0], [[2, 0]], 4)).toEqual([[0, 0], [2, 0], [0, 0], [2, 0]]); // prettier-ignore
  });
});

describe('instances', () => {
  test.each(['pocket', 'paper'] as const)('%s: apart at all times, one continuation', (preset) => {
    for (let seed = 0; seed < (preset === 'pocket' ? 60 : 8); seed++) {
      const config = configs[preset].strict;
      const { pieces } = generate(config, stream(seed, 'test'));
      expect(pieces).toHaveLength(config.pieces);
      for (let t = 0; t < 12; t++) {
        expect(new Set(pieces.map(({ path }) => path[t]!.join())).size).toBe(config.pieces);
      }
      for (const { path } of pieces) {
        expect(path).toHaveLength(12);
        expect(continuations(config, path.slice(0, 7), 5)).toEqual([path.slice(7)]);
      }
    }
  });

  test('both periods occur equally often', () => {
    let single = 0;
    for (let seed = 0; seed < 300; seed++) {
      single += generate(configs.pocket.explore, stream(seed, 'p')).pieces.filter(
        ({ rule }) => rule.length === 1,
      ).length;
    }
    expect(Math.abs(single / 900 - 0.5)).toBeLessThan(0.06);
  });
});

describe('shares known from elsewhere', () => {
  test.each(['explore', 'strict'] as const)('%s', (phase) => {
    const n = phase === 'explore' ? 400 : 250;
    const shares = { random: 0.0123, stay: 0.0175, repeat: 0.344, two: 0.71 };
    for (const [name, share] of Object.entries(shares)) {
      expect(Math.abs(mean('pocket', phase, name, n) - share), name).toBeLessThan(0.03);
    }
    expect(mean('pocket', phase, 'expert', 40)).toBe(1);
  });

  test('the expert on paper sizes', () => {
    expect(mean('paper', 'strict', 'expert', 5)).toBe(1);
    expect(mean('paper', 'explore', 'two', 10)).toBeGreaterThan(0.5);
  });
});

describe('views', () => {
  test('both boards read back to the same paths, also where rows and columns differ', () => {
    const shown: Cell[][] = [0, 1].map((i) => Array.from({ length: 7 }, (_, t): Cell => [i, t + i]));
    for (const preset of ['pocket', 'paper'] as const) {
      const config = { ...configs[preset].explore, rows: 3, cols: 11, pieces: 2 };
      const state = { paths: shown, round: 0, right: 0 };
      const text = game.board(config, state);
      expect(readBoard(config, text)).toEqual(shown);
      expect(line(config, text)).toBe('A:0,6 same:0,7 two:0,7 B:1,7 same:1,8 two:1,8');
    }
  });

  test('the line of an episode', () => {
    const episode = reset(game, { preset: 'pocket', phase: 'explore', seed: 1 });
    expect(observe(episode)).toMatch(/^(?:[A-C]:\d,\d same:\d,\d two:\d,\d ?){3}$/);
    expect(observe(episode)).not.toContain('\n');
  });
});

describe('answers', () => {
  const config = configs.pocket.explore;
  const state = reset(game, { preset: 'pocket', phase: 'explore', seed: 2 }).state;
  const reason = (action: string) => {
    const outcome = game.step(config, state, action);
    return outcome.valid ? 'valid' : outcome.reason;
  };

  test.each(['A:4,4', 'A:4,4 B:0,2 C:8,8', 'a:4,4, b:(0,2), C: [8, 8]', 'C:1,1 A:2,2'])('accepts %s', (action) => {
    expect(reason(action)).toBe('valid');
  });

  test.each([
    ['', 'not of the form A:row,col B:row,col'],
    ['A', 'not of the form A:row,col B:row,col'],
    ['A:4', 'not of the form A:row,col B:row,col'],
    ['A:-1,2', 'not of the form A:row,col B:row,col'],
    ['A:(1,2', 'not of the form A:row,col B:row,col'],
    ['A:(1,2]', 'not of the form A:row,col B:row,col'],
    ['A:04,4', 'not of the form A:row,col B:row,col'],
    ['A:1,2B:2,2', 'not of the form A:row,col B:row,col'],
    ['I think A:1,2', 'not of the form A:row,col B:row,col'],
    ['A:1,2 A:1,2', 'piece A named twice'],
    ['A:1,2 a:1,2', 'piece A named twice'],
    ['D:1,2', 'no piece D'],
    ['A:9,0', 'piece A out of range'],
    ['A:0,9', 'piece A out of range'],
  ])('refuses "%s"', (action, why) => {
    expect(reason(action)).toBe(why);
  });

  test('10,000 near-misses: never an exception, and valid only where the grammar matches', () => {
    const rng = stream(1, 'fuzz');
    const pattern = new RegExp(`^(?:${game.grammar(config)})$`, 'i');
    for (let i = 0; i < 10_000; i++) {
      const characters = [...'A:4,4 B:(0,2), C:[8,8]'];
      for (let n = rng.int(4) + 1; n > 0; n--) {
        characters.splice(rng.int(characters.length), rng.int(2), rng.pick([...'AB:,()[] 0149-;x\n']));
      }
      const text = characters.join('');
      const outcome = game.step(config, state, text);
      if (outcome.valid) expect(text).toMatch(pattern);
      else expect(outcome.reason.length).toBeLessThan(60);
    }
  });

  test('a missing letter is wrong, a right one counts', () => {
    const episode = reset(game, { preset: 'pocket', phase: 'explore', seed: 3 });
    const best = game.expert(episode.config, episode.state, stream(0, 'x'));
    const { report } = advance(episode, best.split(' ')[0]!);
    expect(report).toMatchObject({ valid: true, terminated: false });
    expect(report.reward).toBeCloseTo(1 / 15, 12);
  });
});

test('another future shows nothing now', () => {
  const { config, state } = reset(game, { preset: 'pocket', phase: 'strict', seed: 5 });
  const other = game.alternative!(config, state, stream(5, 'other'))!;
  expect(other).not.toEqual(state);
  expect(game.board(config, other)).toBe(game.board(config, state));
  expect(game.expert(config, other, stream(0, 'x'))).toBe(game.expert(config, state, stream(0, 'x')));
});
