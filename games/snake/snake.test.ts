// Snake's rules as written, its views on non-square boards, and bands of independent simulators.
import { describe, expect, it } from 'vitest';
import { advance, reset, verify, type Episode } from '../episode.ts';
import type { GameConfig, Phase } from '../contract.ts';
import { stream } from '../rng.ts';
import { configs, makeConfig } from './config.ts';
import snake from './index.ts';
import { board, line } from './views.ts';
import { begin, connected, generate, move, type Direction, type SnakeState } from './world.ts';

const wide = makeConfig('pocket', 'strict', { width: 9, height: 6, apples: 2, obstacles: 1, goal: 4, stepCap: 24 });
const soft = { ...wide, phase: 'explore' as const };
const at = (row: number, column: number) => row * 9 + column;

function state(parts: Partial<SnakeState>): SnakeState {
  const draws = Array.from({ length: 26 }, (_, i) => i * 100_000_000);
  return {
    body: [at(2, 3)], heading: 'UP', apples: [at(4, 7)], obstacles: [], draws, spawned: 1, eaten: 0, dead: false, ...parts,
  }; // prettier-ignore
}
const step = (config: GameConfig, from: SnakeState, action: string) => snake.step(config, from, action);

describe('moving', () => {
  it('eating grows at once, scores one, and brings the next apple of the schedule', () => {
    const from = state({ apples: [at(1, 3), at(4, 7)], spawned: 2 });
    const { state: to, collided } = move(wide, from, 'UP');
    expect(collided).toBe(false);
    expect(to.body).toEqual([at(1, 3), at(2, 3)]);
    expect([to.eaten, to.spawned, to.apples.length]).toEqual([1, 3, 2]);
    // Draw 2 is 2e8 of 2^32 over the 25 cells left: the second free cell of the first row.
    expect(to.apples[1]).toBe(at(1, 2));
  });

  it('the cell that the tail leaves may be entered, the rest of the body not', () => {
    const square = state({ body: [at(2, 3), at(2, 4), at(3, 4), at(3, 3)], heading: 'LEFT' });
    expect(move(wide, square, 'DOWN')).toMatchObject({
      collided: false,
      state: { body: [at(3, 3), at(2, 3), at(2, 4), at(3, 4)] },
    });
    const longer = state({ body: [...square.body, at(4, 3)], heading: 'LEFT' });
    expect(move(wide, longer, 'DOWN')).toMatchObject({ collided: true, state: { dead: true } });
    expect(line(wide, board(wide, square))).toBe('heading LEFT free UP DOWN LEFT apple down2 right4');
    expect(line(wide, board(wide, longer))).toBe('heading LEFT free UP LEFT apple down2 right4');
  });

  it('reversing is invalid at every length', () => {
    expect(step(wide, state({}), 'DOWN')).toEqual({ valid: false, reason: 'reverses the heading' });
    expect(step(soft, state({ body: [at(2, 3), at(3, 3)] }), 'down')).toMatchObject({ valid: false });
  });

  it('a collision ends a strict episode and only takes a step in exploration', () => {
    const top = state({ body: [at(1, 3)] });
    expect(step(wide, top, 'UP')).toMatchObject({ valid: true, terminated: true, feedback: 'collision' });
    expect(step(soft, top, 'UP')).toEqual({ valid: true, terminated: false, feedback: 'collision', state: top });
    const block = state({ obstacles: [at(1, 3)] });
    expect(step(wide, block, 'UP')).toMatchObject({ terminated: true });
  });

  it.each(['', ' ', 'UPP', 'UP DOWN', 'NORTH', 'U', '__proto__', 'up\n'])('refuses %j', (action) =>
    expect(step(wide, state({}), action)).toMatchObject({ valid: false, reason: 'unknown word' }),
  );
});

describe('views', () => {
  it('draws walls, head, body, apple and obstacle as row,column on a board that is not square', () => {
    const text = board(wide, state({ body: [at(2, 3), at(2, 2)], heading: 'RIGHT', obstacles: [at(1, 3)] }));
    expect(text.split('\n')).toEqual([
      '#########', '#..X....#', '#.SH....#', '#.......#', '#......A#', '#########', 'heading RIGHT', 'tail 2,2',
    ]); // prettier-ignore
    expect(line(wide, text)).toBe('heading RIGHT free DOWN RIGHT apple down2 right4');
  });

  it('names the nearest apple first, and none when nothing is free', () => {
    const from = state({ apples: [at(4, 7), at(2, 2), at(1, 4)] });
    expect(line(wide, board(wide, from))).toBe(
      'heading UP free UP LEFT RIGHT apple left1 apple up1 right1 apple down2 right4',
    );
    const shut = state({ body: [at(1, 1)], heading: 'LEFT', obstacles: [at(2, 1)] });
    expect(line(wide, board(wide, shut))).toBe('heading LEFT free none apple down3 right6');
  });
});

describe('chance', () => {
  it('an extra invalid answer shifts no later apple', () => {
    const spec = { preset: 'pocket', phase: 'explore', seed: 5 } as const;
    const apples = (noise: boolean) => {
      let episode: Episode = reset(snake, spec);
      const places: (readonly number[])[] = [];
      for (let i = 0; i < 18; i++) {
        if (noise && i % 3 === 0) episode = advance(episode, 'nonsense').episode;
        episode = advance(episode, snake.expert(episode.config, episode.state, stream(1))).episode;
        places.push((episode.state as SnakeState).apples);
      }
      return places;
    };
    expect(apples(true).slice(0, 17)).toEqual(apples(false).slice(0, 17));
  });

  it('obstacles leave the board in one piece', () => {
    for (let seed = 0; seed < 300; seed++) {
      const instance = generate(configs.paper.strict, stream(seed, 'test'));
      expect(instance.obstacles).toHaveLength(3);
      expect(connected(configs.paper.strict, instance)).toBe(true);
      expect(begin(configs.paper.strict, instance).apples).toHaveLength(3);
    }
  });
});

describe('bands', () => {
  const mean = (phase: Phase, play: (episode: Episode, i: number) => string, n = 600) => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      let episode = reset(snake, { preset: 'pocket', phase, seed: i });
      while (!episode.end) episode = advance(episode, play(episode, i)).episode;
      sum += episode.score;
    }
    return sum / n;
  };

  it('expert 7.38 and random 0.386 strict, as simulated elsewhere', () => {
    expect(Math.abs(mean('strict', (e) => snake.expert(e.config, e.state, stream(0))) - 7.38)).toBeLessThan(0.25);
    const rng = stream(1, 'random');
    expect(Math.abs(mean('strict', (e) => snake.random(e.config, e.state, rng), 2000) - 0.386)).toBeLessThan(0.08);
  });

  it('random 0.743 in exploration when it draws from all four words, as there', () => {
    const rng = stream(2, 'random');
    let sum = 0;
    for (let i = 0; i < 1500; i++) {
      let now = begin(configs.pocket.explore, generate(configs.pocket.explore, stream(i, 'four')));
      for (let t = 0; t < 24; t++) {
        const outcome = step(configs.pocket.explore, now, rng.pick<Direction>(['UP', 'DOWN', 'LEFT', 'RIGHT']));
        if (outcome.valid) now = outcome.state as SnakeState;
      }
      sum += now.eaten;
    }
    expect(Math.abs(sum / 1500 - 0.743)).toBeLessThan(0.1);
  });

  it('an episode equals its replay', () => {
    const spec = { preset: 'paper', phase: 'strict', seed: 'x' } as const;
    let episode = reset(snake, spec);
    const actions: string[] = [];
    while (!episode.end) {
      actions.push(snake.expert(episode.config, episode.state, stream(0)));
      episode = advance(episode, actions.at(-1)!).episode;
    }
    expect(verify(snake, spec, actions)).toMatchObject({ score: episode.score, success: episode.success });
  });
});
