// The suite finds planted faults: a small sound game passes, and each broken copy fails the check that should see it.
import { describe, expect, it } from 'vitest';
import { checkGame } from './check.ts';
import { defineGame, type Game, type GameConfig, type Phase, type Preset } from './contract.ts';
import { readUserGame } from './userGame.ts';

type State = { hidden: number[]; guesses: number; right: number };

const config = (preset: Preset, phase: Phase): GameConfig => ({
  preset,
  phase,
  stepCap: 5,
  scoreBounds: [0, 5],
  stepRewardBounds: [0, 1],
  scoreStep: 1,
});
const both = (preset: Preset) => ({ explore: config(preset, 'explore'), strict: config(preset, 'strict') });

/** Guess five coins; each is shown after its guess. Mostly heads, so that saying heads is expert. */
const coins = {
  id: 'coins-v1' as const,
  title: 'Coins',
  summary: 'Guess five coins that mostly show heads.',
  unit: 'right guesses',
  configs: { pocket: both('pocket'), paper: both('paper') },
  legend: { board: 'HT.0123456789 right', line: 'HT.0123456789 right' },
  rules: () => 'Guess the next coin, heads or tails; a right guess is 1 point.\nAnswer: <ACTION>, Score: <NUMBER>',
  guidance: () => 'Say heads.',
  generate: (_, rng) => Array.from({ length: 5 }, () => (rng.next() < 0.8 ? 1 : 0)),
  start: (_, hidden) => ({ hidden, guesses: 0, right: 0 }),
  board: (_, s) => `${s.hidden.map((coin, i) => (i < s.guesses ? 'TH'[coin] : '.')).join('')} right ${s.right}`,
  line: (_, board) => board,
  grammar: () => 'heads|tails',
  actions: (_, s) => (s.guesses < 5 ? ['heads', 'tails'] : []),
  step: (_, s, action) => {
    const guess = ['tails', 'heads'].indexOf(action.toLowerCase());
    if (guess < 0) return { valid: false, reason: 'unknown word' };
    const right = s.right + (s.hidden[s.guesses] === guess ? 1 : 0);
    return { valid: true, state: { ...s, guesses: s.guesses + 1, right }, feedback: '', terminated: false };
  },
  score: (_, s) => s.right,
  success: (_, s) => s.right >= 4,
  random: (_, __, rng) => rng.pick(['heads', 'tails']),
  expert: () => 'heads',
  alternative: (_, s, rng) => ({ ...s, hidden: s.hidden.map((coin, i) => (i < s.guesses ? coin : rng.int(2))) }),
  solvable: () => true,
  levels: { of: (_, hidden) => (hidden[0] ? 'heads' : 'tails'), shares: () => ({ heads: 0.8, tails: 0.2 }) },
} satisfies Game<GameConfig, number[], State>;

type Coins = Game<GameConfig, number[], State>;
const failing = (fault: Partial<Coins>) =>
  checkGame(defineGame<GameConfig, number[], State>({ ...(coins as Coins), ...fault }), { seeds: 300, episodes: 20 })
    .filter(({ ok }) => !ok)
    .map(({ check }) => check);

describe('planted faults', () => {
  it('a sound game passes', () => expect(failing({})).toEqual([]));

  let calls = 0;
  const faults: [string, string, Partial<Coins>][] = [
    ['the board shows hidden coins', 'hidden', { board: (_, s) => `${s.hidden.map((c) => 'TH'[c]).join('')} right ${s.right}` }],
    ['the expert reads hidden coins', 'hidden', { expert: (_, s) => ['tails', 'heads'][s.hidden[s.guesses]!]! }],
    ['a reason names what is hidden', 'hidden', {
      step: (c, s, a) => (a === 'heads' || a === 'tails' ? coins.step(c, s, a) : { valid: false, reason: `it is ${s.hidden[s.guesses]}` }),
    }],
    ['step changes its state', 'purity', {
      step: (c, s, a) => {
        s.guesses += 0;
        return coins.step(c, s, a);
      },
    }],
    ['step remembers other episodes', 'determinism', {
      step: (c, s, a) => {
        const outcome = coins.step(c, s, a);
        return outcome.valid ? { ...outcome, feedback: `call ${calls++}` } : outcome;
      },
    }],
    ['a character is not in the legend', 'views', { legend: { board: 'HT.0123456789', line: coins.legend.line } }],
    ['the line remembers', 'views', { line: (_, board) => `${board}${calls++ % 10}` }],
    ['the line is two lines', 'views', { line: (_, board) => `${board}\n` }],
    ['case matters', 'grammar', {
      step: (c, s, a) => (a === a.toLowerCase() ? coins.step(c, s, a) : { valid: false, reason: 'unknown word' }),
    }],
    ['a listed action is refused', 'grammar', { actions: () => ['heads', 'tails', 'edge'], grammar: () => 'heads|tails|edge' }],
    ['the first word of prose is taken', 'hostile', {
      step: (c, s, a) => coins.step(c, s, /heads|tails/i.exec(a)?.[0] ?? a),
    }],
    ['some text throws', 'hostile', {
      step: (c, s, a) => {
        if (a.length > 1000) throw new Error('too long');
        return coins.step(c, s, a);
      },
    }],
    ['feedback is two lines', 'feedback', {
      step: (c, s, a) => {
        const outcome = coins.step(c, s, a);
        return outcome.valid ? { ...outcome, feedback: 'a\nb' } : outcome;
      },
    }],
    ['the score leaves its bounds', 'bounds', { score: (_, s) => 2 * s.right }],
    ['the score starts at one', 'bounds', { score: (_, s) => 1 + s.right * 0.5 }],
    ['stopping pays', 'stalling', { finish: (_, s) => ({ ...s, right: s.guesses < 5 ? 5 : s.right }) }],
    ['the expert is worse than chance', 'expert', { expert: () => 'tails' }],
    ['the shares are others', 'levels', { levels: { ...coins.levels, shares: () => ({ heads: 0.5, tails: 0.5 }) } }],
    ['an instance is unsolvable', 'instances', { solvable: (_, hidden) => hidden[0] === 1 }],
    ['the answer form is missing', 'rules', { rules: () => 'Guess.' }],
    ['the id has no version', 'published', { id: 'coins' as 'coins-v1' }],
  ]; // prettier-ignore
  it.each(faults)('%s: %s', (_, check, fault) => expect(failing(fault)).toContain(check));
});

describe('a user-made module', () => {
  it('may export a game or make one from the api', () => {
    expect(readUserGame(coins)).toBe(coins);
    expect(readUserGame((given: { defineGame: typeof defineGame }) => given.defineGame(coins as Coins)).id).toBe(
      'coins-v1',
    );
  });

  it.each([
    [undefined, 'the default export'],
    [{}, 'id'],
    [{ ...coins, id: 'coins' }, 'id: expected name-v1'],
    [{ ...coins, step: 'no' }, 'step'],
    [{ ...coins, configs: { pocket: coins.configs.pocket } }, 'configs.paper'],
    [{ ...coins, tips: { expert: 3 } }, 'tips.expert'],
  ])('%#: is refused with the part that is wrong', (exported, path) => {
    expect(() => readUserGame(exported)).toThrow(RangeError);
    expect(() => readUserGame(exported)).toThrow(path);
  });
});
