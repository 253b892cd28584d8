// Trust: ten rounds against one hidden opponent. Assembles the folder's parts into the contract.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { matchAction } from '../grammar.ts';
import { fill } from '../template.ts';
import { configs, configure, options, OPPONENTS, type TrustConfig } from './config.ts';
import guidance from './guidance.txt?raw';
import { bestResponse, play, seen, total, type TrustInstance, type TrustState } from './match.ts';
import { replies } from './opponents.ts';
import rulesPaper from './rules.paper.txt?raw';
import rulesPocket from './rules.pocket.txt?raw';
import { expert, random, strategies, tips } from './strategies.ts';
import { board, legend, line } from './views.ts';

const GRAMMAR = 'collaborate|cheat';
const INVALID = {
  explore: 'An invalid answer loses the round: {{lost}}.',
  strict: 'An invalid answer ends the game: {{lost}} for each round left.',
};

function randomMoves(config: TrustConfig, flip: () => number, from = ''): string {
  let moves = from;
  while (moves.length < config.rounds) moves += flip() ? 'D' : 'C';
  return moves;
}

export default defineGame<TrustConfig, TrustInstance, TrustState>({
  ...about,
  id: 'trust-v1',
  configs,
  options,
  splits: ['unseen'],
  rolesExempt: true,
  legend,
  configure,

  rules(config) {
    const { both, cheat, exploited, none } = config.payoff;
    const text = (config.preset === 'pocket' ? rulesPocket : rulesPaper).replace('{{invalid}}', INVALID[config.phase]);
    return fill(text, { rounds: config.rounds, both, cheat, exploited, none, lost: config.lostRound });
  },
  // Against the seven of strict, copying and cheating last earns exactly what Bayes-optimal play does (trust.test.ts).
  guidance: (config) => (config.preset === 'pocket' ? tips.copyCheatLast! : guidance.trim()),

  generate(config, rng) {
    const opponent = OPPONENTS[rng.weighted(OPPONENTS.map((name) => config.prior[name] ?? 0))]!;
    return { opponent, moves: opponent === 'random' ? randomMoves(config, () => rng.int(2)) : '' };
  },
  start: (_, hidden) => ({ hidden, log: [], unplayed: 0 }),
  board,
  line,
  cluster: (_, state) => state.hidden.opponent,
  reveal: (_, state) => `The other was a ${state.hidden.opponent}.`,

  grammar: () => GRAMMAR,
  actions: (config, state) => (over(config, state) ? [] : ['collaborate', 'cheat']),
  step(config, state, action) {
    if (!matchAction(GRAMMAR, action)) {
      const next = over(config, state) ? state : { ...state, log: [...state.log, '--'] };
      return { valid: false, reason: 'unknown word', state: next, terminated: over(config, next) };
    }
    const next = play(config, state, action.toLowerCase() === 'cheat' ? 'D' : 'C');
    return { valid: true, state: next, feedback: '', terminated: over(config, next) };
  },
  finish: (config, state) => ({ ...state, unplayed: config.rounds - state.log.length }),

  score: total,
  success: (config, state) =>
    over(config, state) && total(config, state) >= bestResponse(config, state.hidden).points - 2,

  random,
  expert,
  strategies,
  tips,
  alternative(config, state, rng) {
    const { you, they } = seen(state.log);
    const others = OPPONENTS.flatMap((opponent): TrustInstance[] => {
      if (!config.prior[opponent]) return [];
      if (opponent === 'random') {
        const moves = randomMoves(config, () => rng.int(2), they);
        return moves === state.hidden.moves ? [] : [{ opponent, moves }];
      }
      return opponent !== state.hidden.opponent && replies(opponent, you, '') === they ? [{ opponent, moves: '' }] : [];
    });
    return others.length > 0 ? { ...state, hidden: rng.pick(others) } : null;
  },
  levels: {
    of: (_, instance) => instance.opponent,
    shares: (config) => config.prior,
  },
});

const over = (config: TrustConfig, state: TrustState) => state.unplayed > 0 || state.log.length >= config.rounds;
