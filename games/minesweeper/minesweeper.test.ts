// The field, the instances, the bands, the rules of an episode and the line.
import { describe, expect, test } from 'vitest';
import type { Phase, Preset } from '../contract.ts';
import { advance, observe, reset } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs, type MinesweeperConfig } from './config.ts';
import { neighbours, open, openCells } from './field.ts';
import { generate } from './generate.ts';
import game from './index.ts';
import type { MinesweeperState } from './state.ts';

type Policy = (config: never, state: unknown, rng: ReturnType<typeof stream>) => string;

function play(preset: Preset, phase: Phase, name: string, episodes: number) {
  const policy = (game.strategies as Record<string, Policy>)[name]!;
  let score = 0;
  let wins = 0;
  for (let seed = 0; seed < episodes; seed++) {
    let episode = reset(game, { preset, phase, seed });
    const rng = stream(seed, name);
    while (!episode.end) {
      const { episode: next, report } = advance(episode, policy(episode.config as never, episode.state, rng));
      expect(report.valid).toBe(true);
      episode = next;
    }
    score += episode.score;
    wins += episode.success ? 1 : 0;
  }
  return { score: score / episodes, wins: wins / episodes };
}

describe('the field', () => {
  test('neighbours on a board that is not square', () => {
    expect(neighbours({ rows: 2, cols: 3 })).toEqual([[1, 3, 4], [0, 2, 3, 4, 5], [1, 4, 5], [0, 1, 4], [0, 1, 2, 3, 5], [1, 2, 4]]); // prettier-ignore
  });

  test('a zero opens its region and the counts around it', () => {
    expect(open({ rows: 3, cols: 4 }, new Set([3]), '?'.repeat(12), 8)).toBe('001?00110000');
    expect(open({ rows: 3, cols: 4 }, new Set([3]), '?'.repeat(12), 2)).toBe('??1?????????');
  });

  test('a flag stops the region', () => {
    expect(open({ rows: 1, cols: 4 }, new Set(), '??F?', 0)).toBe('00F?');
  });
});

describe('instances', () => {
  test('pocket: the given region is safe and at most half of the safe cells', () => {
    for (let seed = 0; seed < 300; seed++) {
      const config = configs.pocket.strict;
      const state = game.start(config, generate(config, stream(seed, 'g'))) as MinesweeperState;
      expect(state.mines).toHaveLength(5);
      expect(state.given).toBeGreaterThan(0);
      expect(state.given).toBeLessThanOrEqual(10);
      expect(openCells(state.shown)).toBe(state.given);
    }
  });

  test('paper: 10 to 20 mines, each number drawn, nothing open', () => {
    const counts = new Set<number>();
    for (let seed = 0; seed < 300; seed++) {
      const { mines, start } = generate(configs.paper.strict, stream(seed, 'g'));
      counts.add(mines.length);
      expect(start).toBeNull();
    }
    expect([...counts].sort()).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });
});

describe('bands known from elsewhere', () => {
  test('random and expert, pocket strict', () => {
    const random = play('pocket', 'strict', 'random', 400);
    expect(random.score).toBeGreaterThan(0.29);
    expect(random.score).toBeLessThan(0.36);
    expect(random.wins).toBeLessThan(0.02);
    const expert = play('pocket', 'strict', 'expert', 400);
    expect(expert.score).toBeGreaterThan(0.69);
    expect(expert.score).toBeLessThan(0.8);
    expect(expert.wins).toBeGreaterThan(0.5);
  });

  test('paper', () => {
    expect(play('paper', 'strict', 'expert', 15).score).toBeGreaterThan(
      play('paper', 'strict', 'random', 60).score + 0.2,
    );
  });
});

describe('rules of the episode', () => {
  const paper: MinesweeperConfig = { ...configs.paper.strict, rows: 2, cols: 3 };
  const state: MinesweeperState = { mines: [2, 5], shown: '??????', lives: 0, given: 0 };
  const after = (config: MinesweeperConfig, ...actions: string[]) =>
    actions.reduce(
      (at, action) => {
        const outcome = game.step(config, at.state, action);
        if (!outcome.valid) throw new Error(outcome.reason);
        return outcome as typeof at;
      },
      { state, feedback: '', terminated: false } as { state: unknown; feedback: string; terminated: boolean },
    );

  test('row,col on a board that is not square', () => {
    expect(game.board(paper, after(paper, 'uncover (1,1)').state)).toBe('mines 2 lives 0\n? ? ?\n? 2 ?');
    expect(game.board(paper, after(paper, 'uncover (0,0)').state)).toBe('mines 2 lives 0\n0 2 ?\n0 2 ?');
  });

  test('flags: score, end by flags, taking back', () => {
    expect(game.score(paper, after(paper, 'flag (0,2)').state)).toBe(0.5);
    expect(game.score(paper, after(paper, 'flag (0,0)').state)).toBe(0);
    expect(game.score(paper, after(paper, 'flag (0,2)', 'unflag (0,2)').state)).toBe(0);
    const won = after(paper, 'flag (0,2)', 'flag (1,2)');
    expect(won.terminated).toBe(true);
    expect(game.success(paper, won.state)).toBe(true);
    expect(game.step(paper, after(paper, 'flag (0,0)', 'flag (0,1)').state, 'flag (1,1)')).toMatchObject({
      reason: 'no flags left',
    });
  });

  test('every safe cell open wins', () => {
    const won = after(paper, 'uncover (0,0)');
    expect(won.terminated).toBe(true);
    expect(game.score(paper, won.state)).toBe(1);
  });

  test('a losing reply shows the mine that went off and no other', () => {
    const lost = after(paper, 'uncover (1,1)', 'uncover (0,2)');
    expect(lost.terminated).toBe(true);
    expect(lost.feedback).toBe('a mine');
    expect(game.board(paper, lost.state)).toBe('mines 2 lives 0\n? ? X\n? 2 ?');
    expect(game.success(paper, lost.state)).toBe(false);
  });

  test('a spare life', () => {
    let episode = reset(game, { preset: 'pocket', phase: 'explore', seed: 1 });
    const mines = (episode.state as MinesweeperState).mines.map(
      (cell) => `uncover (${Math.floor(cell / 5)},${cell % 5})`,
    );
    episode = advance(episode, mines[0]!).episode;
    expect(episode).toMatchObject({ end: null, score: 0, feedback: 'a mine' });
    episode = advance(episode, mines[1]!).episode;
    expect(episode).toMatchObject({ end: 'rule', score: 0, success: false });
  });
});

describe('the line', () => {
  test('groups from the text', () => {
    const config = { ...configs.pocket.strict, rows: 3, cols: 4 };
    const board = 'mines 2 lives 0\n0 1 ? ?\n0 1 ? ?\n0 1 ? ?';
    expect(game.line(config, board)).toBe('mines 2 lives 0 far (0,3) (2,3) (1,3) half (0,2) (1,2) (2,2)');
  });
  test('lists covered cells, each once, and six of far', () => {
    const episode = reset(game, { preset: 'pocket', phase: 'strict', seed: 3 });
    const state = episode.state as MinesweeperState;
    const cells = observe(episode).match(/\d,\d/g)!;
    expect(new Set(cells).size).toBe(cells.length);
    for (const cell of cells) expect(state.shown[5 * Number(cell[0]) + Number(cell[2])]).toBe('?');
    expect(
      observe(episode)
        .match(/far((?: \(\d,\d\))+)/)![1]!
        .trim()
        .split(' '),
    ).toHaveLength(6);
  });
});

test('another layout that agrees shows the same', () => {
  for (const preset of ['pocket', 'paper'] as const) {
    const { config, state } = reset(game, { preset, phase: 'strict', seed: 5 });
    const other = game.alternative!(config, state, stream(5, 'other')) as MinesweeperState;
    expect(other.mines).not.toEqual((state as MinesweeperState).mines);
    expect(game.board(config, other)).toBe(game.board(config, state));
    expect(game.expert(config, other, stream(0, 'x'))).toBe(game.expert(config, state, stream(0, 'x')));
  }
});
