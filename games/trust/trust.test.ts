// Trust against figures made elsewhere and the rules as written.
import { describe, expect, it } from 'vitest';
import { advance, observe, reset, type Episode } from '../episode.ts';
import { stream } from '../rng.ts';
import { configs, configure, OPPONENTS, PRIORS, type Opponent } from './config.ts';
import { plan } from './expert.ts';
import trust from './index.ts';
import { bestResponse, payoff, sequencePoints, type TrustState } from './match.ts';
import { opponentMove, replies } from './opponents.ts';
import { strategies } from './strategies.ts';
import { board, line } from './views.ts';

const config = configs.pocket.strict;
const SEVEN = OPPONENTS.slice(0, 7);
const hidden = (opponent: Opponent) => ({ opponent, moves: '' });
const start = (opponent: Opponent): TrustState => ({ hidden: hidden(opponent), log: [], unplayed: 0 });

/** Expected points of an agent that flips a coin every round, over all 2^10 sequences. */
const coin = (opponent: Opponent) => {
  let sum = 0;
  for (let bits = 0; bits < 1024; bits++) {
    const you = Array.from({ length: 10 }, (_, i) => ((bits >> i) & 1 ? 'D' : 'C')).join('');
    sum += sequencePoints(config, hidden(opponent), you);
  }
  return sum / 1024;
};

function playOut(opponent: Opponent, name: string, by = config) {
  let state: unknown = start(opponent);
  for (let round = 0; round < 10; round++) {
    const outcome = trust.step(by, state, strategies[name]!(by, state as TrustState, stream(1)));
    if (!outcome.valid) throw new Error(outcome.reason);
    state = outcome.state;
  }
  return trust.score(by, state);
}

describe('opponents', () => {
  it.each([
    ['cooperator', 'CDDDCC', 'CCCCCC'],
    ['cheater', 'CCDC', 'DDDD'],
    ['copycat', 'CDDCC', 'CCDDC'],
    ['grudger', 'CCDCC', 'CCCDD'],
    ['copykitten', 'DCDDCDD', 'CCCCDCC'],
    ['detective', 'CCCCCC', 'CDCCDD'],
    ['detective', 'CDCCDCC', 'CDCCCDC'],
    ['detective', 'CCCCDD', 'CDCCDD'],
    ['simpleton', 'CCDCDDC', 'CCCDDCD'],
  ] as const)('%s answers %s with %s', (opponent, you, they) => expect(replies(opponent, you, '')).toBe(they));

  it('random plays its resolved schedule', () => expect(replies('random', 'CCCC', 'DCDD')).toBe('DCDD'));
});

describe('figures made elsewhere', () => {
  it.each([
    ['copycat', 21, 'CCCCCCCCCD', 3, 20, 20, 20, 11.5],
    ['cooperator', 30, 'DDDDDDDDDD', 30, 20, 20, 20, 25],
    ['grudger', 21, 'CCCCCCCCCD', 3, 20, 20, 20, 0.994],
  ] as const)('%s', (opponent, best, sequence, allD, allC, copy, grudge, random) => {
    expect(bestResponse(config, hidden(opponent))).toEqual({ points: best, sequence });
    expect(sequencePoints(config, hidden(opponent), 'DDDDDDDDDD')).toBe(allD);
    expect(sequencePoints(config, hidden(opponent), 'CCCCCCCCCC')).toBe(allC);
    expect(playOut(opponent, 'copy')).toBe(copy);
    expect(playOut(opponent, 'grudge')).toBe(grudge);
    expect(coin(opponent)).toBeCloseTo(random, 3);
  });

  it('uniform over seven: oracle 20, Bayes-optimal 17.5714, always collaborate 12.7143', () => {
    const mean = (of: (opponent: Opponent) => number) => SEVEN.reduce((sum, o) => sum + of(o), 0) / 7;
    expect(mean((o) => bestResponse(config, hidden(o)).points)).toBeCloseTo(20, 10);
    expect(plan(config, '', '', 10).value).toBeCloseTo(123 / 7, 10);
    expect(mean((o) => playOut(o, 'expert'))).toBeCloseTo(123 / 7, 10);
    expect(mean((o) => playOut(o, 'copyCheatLast'))).toBeCloseTo(123 / 7, 10); // what guidance.txt advises
    expect(mean((o) => playOut(o, 'alwaysCollaborate'))).toBeCloseTo(89 / 7, 10);
  });

  it('the plan is worth what exhaustive search over contingent play gives on a short game', () => {
    // Independent of the table: expectation and maximum over the raw tree of four rounds, nothing shared or merged.
    const tree = (you: string, they: string, left: number, alive: readonly Opponent[]): number => {
      if (left === 0) return 0;
      return Math.max(
        ...(['C', 'D'] as const).map((move) =>
          (['C', 'D'] as const).reduce((sum, reply) => {
            const next = alive.filter((o) => opponentMove(o, you, they, '') === reply);
            if (next.length === 0) return sum;
            const gain = next.length * payoff(config, move, reply);
            return sum + gain + tree(you + move, they + reply, left - 1, next);
          }, 0),
        ),
      );
    };
    expect(plan(config, '', '', 6).value).toBeCloseTo(tree('', '', 6, SEVEN) / 7, 10);
  });
});

describe('the match', () => {
  const lose = (episode: Episode, action: string | null) => advance(episode, action).episode;

  it('an invalid answer in exploration costs the round, unseen by the opponent', () => {
    const explore = configs.pocket.explore;
    const first = trust.step(explore, start('detective'), 'both');
    expect(first).toMatchObject({ valid: false, reason: 'unknown word' });
    const second = trust.step(explore, (first as { state: TrustState }).state, 'cheat');
    const state = (second as { state: TrustState }).state;
    expect(state.log).toEqual(['--', 'DC']); // still the detective's opening move
    expect(trust.score(explore, state)).toBe(2);
    expect(line(explore, board(explore, state))).toBe('round 3 you cheat other collaborate total 2');
  });

  it('unplayed rounds cost one each, after END and after an invalid answer in strict', () => {
    const spec = { preset: 'pocket', phase: 'strict', seed: 1 } as const;
    for (const action of ['END', 'nonsense', '', null]) {
      const episode = lose(reset(trust, spec), action);
      expect(episode.score).toBe(-10);
      expect(episode.success).toBe(false);
      expect(episode.end).toBe(action === 'END' ? 'stopped' : 'invalid');
    }
  });

  it('three invalid answers in a row end an exploration episode with every round lost', () => {
    let episode = reset(trust, { preset: 'pocket', phase: 'explore', seed: 1 });
    for (let i = 0; i < 3; i++) episode = lose(episode, 'x');
    expect([episode.end, episode.score]).toEqual(['invalid', -10]);
    expect(observe(episode)).toBe('round over you none other none total -10');
  });

  it('success is within two points of the best response', () => {
    const at = (log: string[]) => trust.success(config, { hidden: hidden('copycat'), log, unplayed: 0 });
    expect(at(Array(10).fill('CC'))).toBe(true); // 20 of 21
    expect(at([...Array(8).fill('CC'), 'DC', 'DD'])).toBe(true); // 19
    expect(at(['DC', 'CD', ...Array(8).fill('CC')])).toBe(false); // 18
  });
});

describe('priors', () => {
  it('sum to one, and hold out grudger and detective from exploration', () => {
    for (const prior of Object.values(PRIORS)) {
      expect(Object.values(prior).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    }
    const { explore } = configs.pocket;
    expect(Object.keys(explore.prior).sort()).not.toContain('grudger');
    expect(Object.keys(configure(config, 'unseen', {}).prior)).toEqual(['grudger', 'detective']);
    expect(configure(explore, 'strict', { unseen: 'off' }).prior).toMatchObject({ grudger: 0.05, cooperator: 0.25 });
    expect(Object.keys(configure(explore, 'strict', { opponents: 'retaliating' }).prior)).toHaveLength(4);
    expect(configure(config, 'strict', { opponents: 'retaliating' })).toBe(config);
  });

  it('the expert is fast', () => {
    const began = performance.now();
    for (const prior of Object.values(PRIORS)) plan({ ...config, prior: { ...prior } }, '', '', 10);
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
