// What is accepted, what is refused and with which reason.
import { describe, expect, test } from 'vitest';
import { reset } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs, type MinesweeperConfig } from './config.ts';
import game from './index.ts';
import type { MinesweeperState } from './state.ts';

describe('answers', () => {
  const pocket = { ...configs.pocket.strict, rows: 2, cols: 3 };
  const state: MinesweeperState = { mines: [2], shown: '1?????', lives: 0, given: 1 };
  const reason = (config: MinesweeperConfig, action: string, at = state) => {
    const outcome = game.step(config, at, action);
    return outcome.valid ? 'valid' : outcome.reason;
  };

  test.each(['uncover (1,2)', 'uncover(1,2)', 'UNCOVER (1, 2)', 'uncover 1,2'])('accepts %s', (action) => {
    expect(reason(pocket, action)).toBe('valid');
  });
  test.each([
    ['uncover', 'not of the form uncover (row,col)'],
    ['uncover 12', 'not of the form uncover (row,col)'],
    ['uncover (1,2', 'not of the form uncover (row,col)'],
    ['uncover (1,2) (0,1)', 'not of the form uncover (row,col)'],
    ['uncover (01,2)', 'not of the form uncover (row,col)'],
    ['uncover (-1,2)', 'not of the form uncover (row,col)'],
    ['flag (1,2)', 'not of the form uncover (row,col)'],
    ['', 'not of the form uncover (row,col)'],
    ['uncover (2,0)', 'out of range'],
    ['uncover (0,3)', 'out of range'],
    ['uncover (0,0)', 'already open'],
  ])('refuses "%s"', (action, why) => {
    expect(reason(pocket, action)).toBe(why);
  });
  test('refuses by state, with flags', () => {
    const paper = { ...configs.paper.strict, rows: 2, cols: 3 };
    const flagged = { ...state, shown: '1F????' };
    expect(reason(paper, 'uncover (0,1)', flagged)).toBe('flagged');
    expect(reason(paper, 'flag (0,1)', flagged)).toBe('flagged');
    expect(reason(paper, 'flag (1,1)', flagged)).toBe('no flags left');
    expect(reason(paper, 'unflag (1,1)', flagged)).toBe('no flag there');
    expect(reason(paper, 'unflag (0,0)', flagged)).toBe('already open');
    expect(reason(paper, 'dig (0,0)', flagged)).toBe('not of the form uncover/flag/unflag (row,col)');
  });

  test.each(['pocket', 'paper'] as const)('%s: 10,000 near-misses', (preset) => {
    const { config, state: at } = reset(game, { preset, phase: 'strict', seed: 2 });
    const rng = stream(preset, 'fuzz');
    const pattern = new RegExp(`^(?:${game.grammar(config)})$`, 'i');
    const legal = new Set(game.actions(config, at));
    for (let i = 0; i < 10_000; i++) {
      const characters = [...rng.pick(['uncover (3,4)', 'flag (1,1)', 'unflag (0,2)'])];
      for (let n = rng.int(4); n > 0; n--) {
        characters.splice(rng.int(characters.length), rng.int(2), rng.pick([...'unf (),0123489-.\n']));
      }
      const text = characters.join('');
      const outcome = game.step(config, at, text);
      if (outcome.valid) expect(text).toMatch(pattern);
      else expect(outcome.reason.length).toBeLessThan(60);
      if (legal.has(text)) expect(outcome.valid).toBe(true);
    }
  });
});
