// The game through its contract: instances, bands, score, answers, views.
import { describe, expect, test } from 'vitest';
import type { Phase, Preset } from '../contract.ts';
import { advance, observe, reset } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs } from './config.ts';
import { accepted, candidate } from './generate.ts';
import game from './index.ts';
import { solvable } from './solver.ts';
import type { NullifyState } from './state.ts';
import { legal, readUnit } from './units.ts';

function play(preset: Preset, phase: Phase, name: string, episodes: number) {
  const policy = game.strategies![name]!;
  let score = 0;
  let wins = 0;
  for (let seed = 0; seed < episodes; seed++) {
    let episode = reset(game, { preset, phase, seed });
    const rng = stream(seed, name);
    while (!episode.end) {
      const { episode: next, report } = advance(episode, policy(episode.config, episode.state, rng));
      expect(report.valid).toBe(true);
      episode = next;
    }
    expect(episode.success).toBe(episode.score === 1);
    score += episode.score;
    wins += episode.success ? 1 : 0;
  }
  return { score: score / episodes, wins: wins / episodes };
}

describe('instances', () => {
  test.each(['pocket', 'paper'] as const)('%s: sizes, operators, a solution', (preset) => {
    for (const phase of ['explore', 'strict'] as const) {
      const config = configs[preset][phase];
      const sizes = new Set<number>();
      for (let seed = 0; seed < 60; seed++) {
        const instance = game.generate(config, stream(seed, 'g')) as { units: string[] };
        expect(game.solvable!(config, instance)).toBe(true);
        expect(instance.units.filter((text) => readUnit(text).kind !== 'number').length).toBeGreaterThan(1);
        sizes.add(instance.units.length);
      }
      expect(Math.min(...sizes)).toBe(config.minSteps + 1);
      expect(Math.max(...sizes)).toBe(config.maxSteps + 1);
    }
  });

  test('the solver finds what the generator hid', () => {
    for (let seed = 0; seed < 40; seed++) {
      const { units } = game.generate(configs.pocket.strict, stream(seed, 's')) as { units: string[] };
      expect(solvable(units.map(readUnit))).toBe(true);
    }
  });

  test('acceptance; two operators or more', () => {
    const rng = stream(1, 'acceptance');
    let drawn = 0;
    let kept = 0;
    while (drawn < 200) {
      const position = candidate(configs.pocket.explore, rng);
      if (!position) continue;
      drawn++;
      if (accepted(position.units, rng)) kept++;
    }
    expect(kept / drawn).toBeGreaterThan(0.1);
    expect(kept / drawn).toBeLessThan(0.5);
  });
});

describe('bands known from elsewhere', () => {
  test.each(['explore', 'strict'] as const)('pocket %s', (phase) => {
    const random = play('pocket', phase, 'random', 200);
    expect(random.wins).toBeLessThan(0.13);
    expect(random.wins).toBeGreaterThan(0.02);
    expect(play('pocket', phase, 'expert', 60)).toEqual({ score: 1, wins: 1 });
  });
  test('paper', () => {
    expect(play('paper', 'strict', 'expert', 15).wins).toBeGreaterThan(0.95);
  });
});

describe('the score', () => {
  const config = configs.pocket.explore;
  const at = (units: string[]): NullifyState => ({ units, given: units.length, kept: 0 });
  const next = (state: unknown, action: string) => {
    const outcome = game.step(config, state, action);
    if (!outcome.valid) throw new Error(outcome.reason);
    return outcome;
  };

  test('a merge that keeps it solvable pays, another does not', () => {
    const state = at(['4', 'sqrt', '-2', '*3', '/3']);
    expect(game.score(config, next(state, '0 1').state)).toBe(1 / 4);
    expect(game.score(config, next(state, '0 2').state)).toBe(0);
  });
  test('numbers that cancel before the end count twice, so a solution is worth 1', () => {
    let outcome = next(at(['5', '-5', '1/2', 'floor', '*1']), '0 1');
    expect(game.score(config, outcome.state)).toBe(2 / 4);
    outcome = next(outcome.state, '0 2');
    outcome = next(outcome.state, '0 1');
    expect(outcome.terminated).toBe(true);
    expect(game.score(config, outcome.state)).toBe(1);
  });
  test('operators without a number: over, lost', () => {
    const outcome = next(at(['5', '-5', 'sqrt']), '0 1');
    expect(outcome.terminated).toBe(true);
    expect(game.success(config, outcome.state)).toBe(false);
    expect(game.score(config, outcome.state)).toBe(0);
  });
  test('one number left: over', () => expect(next(at(['5', '5']), '0 1').terminated).toBe(true));
  test('no legal merge left: over', () => expect(next(at(['-9', '*2', 'sqrt']), '0 1').terminated).toBe(true));
  test('the step reward stays in its bounds whatever is played', () => {
    const [low, high] = configs.pocket.strict.stepRewardBounds;
    for (let seed = 0; seed < 100; seed++) {
      let episode = reset(game, { preset: 'pocket', phase: 'strict', seed });
      const rng = stream(seed, 'gone');
      while (!episode.end) {
        const { episode: then, report } = advance(episode, game.strategies!.gone!(episode.config, episode.state, rng));
        expect(report.reward).toBeGreaterThanOrEqual(low);
        expect(report.reward).toBeLessThanOrEqual(high);
        episode = then;
      }
    }
  });
});

describe('answers', () => {
  const config = configs.pocket.explore;
  const state: NullifyState = { units: ['3', '*2', 'sqrt', '-3'], given: 4, kept: 0 };
  test.each([
    ['0', 'wrong count, two units are needed'], ['0 1 2', 'wrong count, two units are needed'],
    ['', 'not of the form i j'], ['0,1', 'not of the form i j'], ['0 1.', 'not of the form i j'],
    ['00 1', 'not of the form i j'], ['-1 0', 'not of the form i j'], ['merge 0 1', 'not of the form i j'],
    ['0 4', 'no unit 4'], ['9 0', 'no unit 9'], ['1 1', 'the same unit twice'], ['1 2', 'two operators'],
  ])('refuses "%s": %s', (action, reason) => {
    expect(game.step(config, state, action)).toEqual({ valid: false, reason });
  }); // prettier-ignore
  test('either order is the same merge', () => {
    expect(game.step(config, state, '3 0')).toEqual(game.step(config, state, '0 3'));
  });
  test('10,000 near-misses', () => {
    const rng = stream(1, 'fuzz');
    const listed = new Set(game.actions(config, state));
    for (let i = 0; i < 10_000; i++) {
      const characters = [...rng.pick(['0 1', '0 3', '1 3'])];
      for (let n = rng.int(4); n > 0; n--) {
        characters.splice(rng.int(characters.length + 1), rng.int(2), rng.pick([...'0123 ,.-*/x\n']));
      }
      const text = characters.join('');
      const outcome = game.step(config, state, text);
      const sorted = text.split(' ').map(Number).sort((a, b) => a - b).join(' ');
      expect(outcome.valid, text).toBe(/^\d \d$/.test(text) && listed.has(sorted));
    }
  }); // prettier-ignore
});

describe('views', () => {
  test('the line lists every merge and its result', () => {
    const state: NullifyState = { units: ['7/2', '*2', '-7', 'floor'], given: 4, kept: 0 };
    const board = game.board(configs.pocket.explore, state);
    expect(board).toBe('0: 7/2\n1: *2\n2: -7\n3: floor');
    expect(game.line(configs.pocket.explore, board)).toBe(
      'units 7/2 *2 -7 floor merge 0 1 = 7, 0 2 = -7/2, 0 3 = 3, 1 2 = -14, 2 3 = -7',
    );
    expect(legal(state.units.map(readUnit))).toHaveLength(5);
  });
  test('what vanishes is gone; large numbers are big', () => {
    expect(game.line(configs.pocket.explore, '0: 1/2\n1: floor')).toBe('units 1/2 floor merge 0 1 = gone');
    expect(game.line(configs.pocket.explore, '0: 99\n1: square\n2: -99')).toBe(
      'units 99 square -99 merge 0 1 = big, 0 2 = gone, 1 2 = big',
    );
    expect(game.line(configs.pocket.explore, 'nothing left')).toBe('nothing left');
  });
  test('one line', () => {
    expect(observe(reset(game, { preset: 'pocket', phase: 'strict', seed: 1 }))).not.toContain('\n');
  });
});
