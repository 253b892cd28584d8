// The game through its contract: figures, answers, actions, views.
import { describe, expect, test } from 'vitest';
import type { Phase, Preset } from '../contract.ts';
import { advance, observe, reset } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs, plantKinds, plants, zombieKinds, zombies } from './config.ts';
import game from './index.ts';
import type { PvzState } from './state.ts';
import { emptyField, type Field } from './turn.ts';

const pocket = configs.pocket.strict;

function mean(preset: Preset, phase: Phase, name: string, episodes: number) {
  const policy = game.strategies![name]!;
  let sum = 0;
  for (let seed = 0; seed < episodes; seed++) {
    let episode = reset(game, { preset, phase, seed });
    const rng = stream(seed, name);
    while (!episode.end) {
      const { episode: next, report } = advance(episode, policy(episode.config, episode.state, rng));
      expect(report.valid).toBe(true);
      episode = next;
    }
    sum += episode.score;
  }
  return sum / episodes;
}

describe('figures known from elsewhere', () => {
  test.each([['pocket', 'explore', 6], ['pocket', 'strict', 6], ['paper', 'explore', 7], ['paper', 'strict', 6]] as const)(
    '%s %s: doing nothing lasts %i turns', (preset, phase, turns) => {
      expect(mean(preset, phase, 'nothing', 30)).toBe(turns);
    }); // prettier-ignore
  test('doing nothing on 3x5 lasts 5 turns', () => {
    const config = { ...pocket, cols: 5 };
    let state = game.start(config, game.generate(config, stream(0, 'g')));
    for (;;) {
      const outcome = game.step(config, state, '-');
      if (!outcome.valid) throw new Error(outcome.reason);
      state = outcome.state;
      if (outcome.terminated) break;
    }
    expect(game.score(config, state)).toBe(5);
  });
  test('pocket strict: random about 9, sunflowers about 22, a good player 31 or more', () => {
    expect(Math.abs(mean('pocket', 'strict', 'random', 150) - 9.4)).toBeLessThan(1);
    expect(Math.abs(mean('pocket', 'strict', 'flowers', 60) - 22.7)).toBeLessThan(2);
    expect(mean('pocket', 'strict', 'expert', 60)).toBeGreaterThan(31);
  });
});

describe('answers', () => {
  const { state } = reset(game, { preset: 'pocket', phase: 'strict', seed: 1 });
  const reason = (action: string, config = pocket) => {
    const outcome = game.step(config, state, action);
    return outcome.valid ? `valid ${outcome.feedback}`.trim() : outcome.reason;
  };
  test.each(['', '-', 'X 1 0', 'x 2 5', 'J 0 0'])('accepts "%s"', (action) => expect(reason(action)).toBe('valid'));
  test.each(['X', 'X 1', 'X 1,0', 'X(1,0)', 'Q 1 0', 'X 1 0;', 'X 1 0 W 0 1', '--', 'X 01 0', 'X -1 0', 'plant X 1 0'])(
    'does not read "%s"',
    (action) => expect(reason(action)).toBe('not of the form X row col; W row col'),
  );
  test.each([
    ['X 3 0', 'X 3 0 out of range'],
    ['X 0 6', 'X 0 6 out of range'],
    ['W 0 0', 'W 0 0 not enough sun'],
    ['X 0 0; J 1 1', 'J 1 1 not enough sun'],
    ['X 0 0; X 0 0', 'X 0 0 occupied'],
  ])('strict refuses "%s", exploration skips it', (action, why) => {
    expect(reason(action)).toBe(why);
    expect(reason(action, { ...pocket, phase: 'explore' })).toBe(`valid skipped ${why}`);
  });
  test('what can be paid is planted all the same in exploration', () => {
    const outcome = game.step({ ...pocket, phase: 'explore' }, state, 'X 0 0; W 1 1');
    expect(outcome.valid && (outcome.state as PvzState).field.cells[0]).toEqual({ kind: 'X', hp: 2 });
  });
  test('10,000 near-misses', () => {
    const rng = stream(1, 'fuzz');
    const pattern = new RegExp(`^(?:${game.grammar(pocket)})$`, 'i');
    for (let i = 0; i < 10_000; i++) {
      const characters = [...rng.pick(['X 1 0', 'X 1 0; W 0 1', '-', 'J 2 5;F 1 1'])];
      for (let n = rng.int(4); n > 0; n--) {
        characters.splice(rng.int(characters.length + 1), rng.int(2), rng.pick([...'XWSJHF012369 ;,-\n']));
      }
      const text = characters.join('');
      const outcome = game.step(pocket, state, text);
      if (outcome.valid) expect(text).toMatch(pattern);
      else expect(outcome.reason.length).toBeLessThan(60);
      const soft = game.step({ ...pocket, phase: 'explore' }, state, text);
      expect(soft.valid).toBe(pattern.test(text));
      if (soft.valid) expect(soft.feedback.length).toBeLessThan(100);
    }
  });
});

describe('actions', () => {
  test('with 50 sun: nothing, or a sunflower or wall-nut in any cell', () => {
    const { config, state } = reset(game, { preset: 'pocket', phase: 'strict', seed: 1 });
    expect(game.actions(config, state)).toHaveLength(1 + 2 * 18);
  });
  test('every listed action is legal; too many are not listed', () => {
    const config = { ...pocket, rows: 1, cols: 3 };
    const list = game.actions(config, { field: emptyField(config, 150), spawns: [] })!;
    expect(new Set(list).size).toBe(list.length);
    for (const action of list) {
      expect(game.step(config, { field: emptyField(config, 150), spawns: [] }, action).valid).toBe(true);
    }
    expect(game.actions(pocket, { field: emptyField(pocket, 400), spawns: [] })).toBeNull();
  });
});

describe('views', () => {
  const config = { ...pocket, rows: 2, cols: 4 };
  const cells: Field['cells'] = [{ kind: 'X', hp: 2 }, null, null, null, { kind: 'W', hp: 2 }, null, { kind: 'J', hp: 10 }, null]; // prettier-ignore
  const at: Field = {
    ...emptyField(config, 75),
    cells,
    zombies: [
      { kind: 'N', row: 1, col: 2, hp: 3 },
      { kind: 'R', row: 1, col: 3, hp: 12 },
    ],
  };
  test('the board shows plants and zombies with their HP', () => {
    expect(game.board(config, { field: at, spawns: [] }).split('\n')).toEqual([
      'turn 0 of 32 sun 75',
      'X2     .      .      .',
      'W2     .      J10+N3 R12',
    ]);
  });
  test('the line counts plants and lists free columns, row by row', () => {
    expect(game.line(config, game.board(config, { field: at, spawns: [] }))).toBe(
      'turn 0 sun 75 buy X J ; 0 X1 free 1 2 3 ; 1 W1 J1 free 1 3 zombie 2 hp 15',
    );
  });
  test('a line is one line', () => {
    expect(observe(reset(game, { preset: 'pocket', phase: 'strict', seed: 1 }))).not.toContain('\n');
  });
});

test('the rules print the prices and HP that apply', () => {
  for (const kind of plantKinds) {
    expect(game.rules(pocket)).toContain(`${kind} ${plants[kind].cost} `);
    expect(game.rules(configs.paper.strict)).toContain(`${kind} ${plants[kind].name}: cost ${plants[kind].cost},`);
  }
  for (const kind of zombieKinds) {
    expect(game.rules(configs.paper.strict)).toContain(`${kind}: ${zombies[kind].hp}, ${zombies[kind].damage}`);
  }
});

test('what has not come yet shows nowhere', () => {
  let episode = reset(game, { preset: 'pocket', phase: 'strict', seed: 3 });
  for (let n = 0; n < 8; n++)
    episode = advance(episode, game.expert(episode.config, episode.state, stream(0, 'x'))).episode;
  const other = game.alternative!(episode.config, episode.state, stream(1, 'other')) as PvzState;
  expect(other.spawns).not.toEqual((episode.state as PvzState).spawns);
  expect(other.spawns.filter(({ turn }) => turn < 8)).toEqual((episode.state as PvzState).spawns.filter(({ turn }) => turn < 8)); // prettier-ignore
  expect(game.board(episode.config, other)).toBe(game.board(episode.config, episode.state));
});
