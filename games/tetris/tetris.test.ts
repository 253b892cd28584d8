// Tetris' rules as written, counts and bands of independent simulators.
import { describe, expect, it } from 'vitest';
import { advance, reset } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs, makeConfig, type TetrisConfig } from './config.ts';
import { lookahead, ranked } from './expert.ts';
import { drop, empty, profile } from './field.ts';
import tetris from './index.ts';
import { distinctPlacements, PATTERNS, shapeAt, type Piece, type Placement } from './pieces.ts';
import { begin, current, place, type TetrisState } from './state.ts';
import { board, line } from './views.ts';

const SEVEN: readonly Piece[] = ['I', 'O', 'T', 'S', 'Z', 'J', 'L'];
const { explore, strict } = configs.pocket;

/** A field from drawn rows. */
const draw = (...rows: string[]) =>
  rows.map((row) => [...row].reduce((mask, cell, c) => mask | (cell === '*' ? 1 << c : 0), 0));
const show = (field: readonly number[], width: number) =>
  field.map((row) => Array.from({ length: width }, (_, c) => (row & (1 << c) ? '*' : '.')).join(''));

const state = (pieces: Piece[], field: readonly number[], spares = 0): TetrisState => ({
  field, pieces, placed: 0, cleared: 0, spares, over: false,
}); // prettier-ignore

describe('placements', () => {
  it.each([
    [10, { I: 17, O: 9, S: 17, Z: 17, L: 34, J: 34, T: 34 }],
    [5, { I: 7, O: 4, S: 7, Z: 7, L: 14, J: 14, T: 14 }],
  ])('distinct on an empty board of width %i', (width, counts) => {
    for (const [piece, count] of Object.entries(counts)) {
      expect([piece, distinctPlacements(piece as Piece, width).length]).toEqual([piece, count]);
      const landed = distinctPlacements(piece as Piece, width).map(({ shape, column }) =>
        show(drop(empty(8), width, shape, column)!.field, width).join('/'),
      );
      expect(new Set(landed).size).toBe(count);
    }
  });

  it('turns clockwise', () => {
    const drawn = (piece: Piece, angle: 0 | 90 | 180 | 270) => {
      const { masks, width } = shapeAt(piece, angle);
      return show(masks, width).join('/').replaceAll('*', '#');
    };
    expect(drawn('L3', 0)).toBe('#./##');
    expect(drawn('L3', 90)).toBe('##/#.');
    expect(drawn('L3', 180)).toBe('##/.#');
    expect(drawn('J', 90)).toBe('##/#./#.');
    expect(drawn('T', 90)).toBe('#./##/#.');
    expect(drawn('S', 90)).toBe('#./##/.#');
    for (const piece of SEVEN) expect(drawn(piece, 0)).toBe(PATTERNS[piece]);
  });

  it('every other column and angle in range is accepted and lands where a listed one does', () => {
    const from = state(['O', 'O'], empty(6));
    expect(tetris.actions(strict, from)).toEqual(['1 0', '2 0', '3 0']);
    expect(tetris.step(strict, from, '2 270')).toEqual(tetris.step(strict, from, '2 0'));
  });

  it.each([
    ['3', 'not COLUMN ANGLE'],
    ['', 'not COLUMN ANGLE'],
    ['0 0', 'not COLUMN ANGLE'],
    ['01 0', 'not COLUMN ANGLE'],
    ['1 45', 'not COLUMN ANGLE'],
    ['1 0 0', 'not COLUMN ANGLE'],
    ['-1 0', 'not COLUMN ANGLE'],
    ['1,0', 'not COLUMN ANGLE'],
    ['4 0', 'column out of range'],
    ['99 90', 'column out of range'],
  ])('refuses %j: %s', (action, reason) =>
    expect(tetris.step(strict, state(['O', 'O'], empty(6)), action)).toEqual({ valid: false, reason }),
  );
});

describe('the field', () => {
  it('drops straight down, never sideways under an overhang', () => {
    const field = draw('....', '....', '**..', '....');
    expect(show(drop(field, 4, shapeAt('domino', 0), 1)!.field, 4)).toEqual(['....', '.**.', '**..', '....']);
  });

  it('clears full rows and moves the rows above down, holes included', () => {
    const field = draw('....', '*...', '***.', '*.*.', '***.');
    const landing = drop(field, 4, shapeAt('I3', 90), 3)!;
    expect(landing.cleared).toBe(2);
    expect(show(landing.field, 4)).toEqual(['....', '....', '....', '*...', '*.**']);
  });

  it('measures heights and holes', () => {
    expect(profile(draw('....', '*...', '**..', '.*.*'), 4)).toEqual({ heights: [3, 2, 0, 1], holes: 1 });
  });
});

describe('topping out', () => {
  const high = draw('....', '***.', '***.', '***.', '***.', '***.');

  it('ends the episode before rows clear', () => {
    // The lower cells would fill rows, but the piece rests partly above the board.
    const full = draw('.***', '.***', '*...', '*...', '*...', '*...');
    const outcome = tetris.step(strict, state(['I3', 'O'], full), '1 90');
    expect(outcome).toMatchObject({
      valid: true,
      terminated: true,
      feedback: 'topped out',
      state: { cleared: 0, field: full },
    });
  });

  it('in exploration is forgiven once: top two rows emptied, the same piece asked again', () => {
    const tower = [0, 0, ...high];
    const from = state(['I3', 'I3', 'O'], [...draw('....', '***.'), ...tower.slice(2)], 1);
    const first = tetris.step(explore, from, '1 90');
    expect(first).toMatchObject({ valid: true, terminated: false, feedback: 'topped out, top rows cleared' });
    const next = (first as { state: TetrisState }).state;
    expect([next.placed, next.spares, next.cleared]).toEqual([0, 0, 0]);
    expect(show(next.field, 4).slice(0, 4)).toEqual(['....', '....', '....', '***.']);
    const { event } = place(explore, { ...next, field: from.field }, { shape: shapeAt('I3', 90), column: 0 });
    expect(event).toBe('over');
    expect(tetris.rules(explore)).toContain('the first time it only empties the top 2 rows');
    expect(tetris.rules(strict)).not.toContain('empties');
  });

  it('the 16th piece at the cap is placed and scored', () => {
    let episode = reset(tetris, { preset: 'pocket', phase: 'strict', seed: 2 });
    let sum = 0;
    while (!episode.end) {
      const next = advance(episode, tetris.expert(episode.config, episode.state, stream(0)));
      episode = next.episode;
      sum += next.report.reward;
    }
    expect([episode.end, episode.steps, (episode.state as TetrisState).placed]).toEqual(['steps', 16, 16]);
    expect(sum).toBe(episode.score);
    expect(line(strict, board(strict, episode.state as TetrisState))).toMatch(/^piece none .* clear none$/);
  });
});

describe('views', () => {
  it('draws the field and the block to place, and no other', () => {
    const text = board(strict, state(['L3', 'O'], draw('....', '....', '....', '....', '*...', '**.*')));
    expect(text).toBe('....\n....\n....\n....\n*...\n**.*\nNext Block\n#.\n##');
    expect(line(strict, text)).toBe('piece L3 heights 2 1 0 1 holes 0 clear 3 90 2 180');
  });

  it('lists exactly the distinct placements that clear a row now', () => {
    const from = state(['domino', 'O'], draw('....', '....', '....', '....', '*...', '**.*'));
    expect(line(strict, board(strict, from))).toBe('piece domino heights 2 1 0 1 holes 0 clear 3 90');
    for (const action of tetris.actions(strict, from)!) {
      const outcome = tetris.step(strict, from, action);
      expect(outcome.valid && tetris.score(strict, outcome.state) > 0).toBe(action === '3 90');
    }
  });
});

describe('bands of independent simulators', () => {
  type Policy = (state: TetrisState, config: TetrisConfig, piece: Piece) => Placement | undefined;
  const greedy: Policy = (s, { width }, piece) => ranked(s.field, width, piece)[0]?.placement;
  const known: Policy = (s, { width }, piece) =>
    lookahead(s.field, width, piece, s.pieces.slice(s.placed + 1, s.placed + 2));
  const rng = stream(3, 'random');
  const random: Policy = (_, { width }, piece) => rng.pick(distinctPlacements(piece, width));

  function mean(config: TetrisConfig, policy: Policy, episodes: number) {
    let sum = 0;
    for (let i = 0; i < episodes; i++) {
      const pieces = Array.from({ length: config.stepCap + 1 }, (_, j) => stream(i, 'band', j).pick(config.pieces));
      let now = begin(config, { pieces });
      for (let step = 0; step < config.stepCap && !now.over; step++) {
        const piece = current(now)!;
        now = place(config, now, policy(now, config, piece) ?? distinctPlacements(piece, config.width)[0]!).state;
      }
      sum += now.cleared;
    }
    return sum / episodes;
  }

  it.each([
    [6, 8, 16, 0.096, 7.46, 8.433, 10, 200],
    [5, 6, 16, 0.126, 7.78, 9.95, 12, 200],
    [10, 10, 64, 0.005, 22.233, 23.75, 25, 25],
    [8, 8, 64, 0.016, 21.2, 29.5, 32, 25],
  ])(
    '%ix%i, %i pieces',
    (width, height, stepCap, atRandom, greedily, twoKnown, bound, episodes) => {
      const config = makeConfig('paper', 'strict', { width, height, stepCap, pieces: SEVEN, goal: 4, spares: 0 });
      expect(config.scoreBounds).toEqual([0, bound]);
      expect(Math.abs(mean(config, random, episodes) - atRandom)).toBeLessThan(0.15);
      expect(Math.abs(mean(config, greedy, episodes) / greedily - 1)).toBeLessThan(0.15);
      expect(Math.abs(mean(config, known, episodes) / twoKnown - 1)).toBeLessThan(0.08);
    },
    60_000,
  );
});
