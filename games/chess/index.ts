// chess-v1: predict where pieces with hidden movement rules go next. Deterministic once drawn.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { fill } from '../template.ts';
import { grammar, parse } from './action.ts';
import { configs, letterOf, type ChessConfig } from './config.ts';
import { expert, random, strategies, tips } from './expert.ts';
import { ruleOf, type Cell } from './family.ts';
import { generate, type ChessInstance } from './generate.ts';
import guidance from './guidance.txt?raw';
import paperRules from './rules.paper.txt?raw';
import pocketRules from './rules.pocket.txt?raw';
import { window, type ChessState } from './state.ts';
import { board, line } from './views.ts';

export default defineGame<ChessConfig, ChessInstance, ChessState>({
  ...about,
  id: 'chess-v1',
  configs,
  legend: {
    board: '0123456789,. \nABCDEFGHIJKLMNOPQRSTUVWXYZpositonf',
    line: '0123456789,: ABCDEFGHIJKLMNOPQRSTUVWXYZsametwo',
  },

  rules: (config) =>
    fill(config.preset === 'pocket' ? pocketRules : paperRules, {
      rows: config.rows,
      cols: config.cols,
      lastRow: config.rows - 1,
      twiceLastRow: 2 * (config.rows - 1),
      lastCol: config.cols - 1,
      twiceLastCol: 2 * (config.cols - 1),
      pieces: config.pieces,
      first: letterOf(0),
      last: letterOf(config.pieces - 1),
      shown: config.shown,
      rounds: config.rounds,
      most: 1 / config.rounds,
      view: 'one board a position, the oldest first',
    }),
  guidance: () => guidance.trim(),

  generate,
  start: (_config, instance) => ({ paths: instance.pieces.map(({ path }) => path), round: 0, right: 0 }),
  board: (config, state) => board(config, window(config, state)),
  line,

  grammar: () => grammar,
  actions: () => null, // (rows x cols) ^ pieces
  step(config, state, action) {
    const cells = parse(config, action);
    if (typeof cells === 'string') return { valid: false, reason: cells };
    const right = state.paths.filter((path, piece) => {
      const [row, col] = path[state.round + config.shown] ?? [];
      const guess = cells.get(piece);
      return guess !== undefined && guess[0] === row && guess[1] === col;
    }).length;
    const round = state.round + 1;
    return {
      valid: true,
      state: { ...state, round, right: state.right + right },
      feedback: '', // the next observation shows where the pieces went
      terminated: round >= config.rounds,
    };
  },

  score: (config, state) => state.right / (config.pieces * config.rounds),
  success: (config, state) => state.right === config.pieces * config.rounds,
  random,
  expert,
  strategies,
  tips,
  reveal: (config, { paths }) =>
    `Rules (rows, columns a step): ${paths.map((path, i) => `${letterOf(i)} ${ruleOf(config, path)}`).join('; ')}.`,

  // The family fixes every continuation, so no other rule agrees with what was shown. For the leak test the future is
  // replaced by one that no rule makes: whatever the agent is shown must not change.
  alternative(config, state, rng) {
    const known = state.round + config.shown;
    const paths = state.paths.map((path) =>
      path.map((cell, t): Cell => (t < known ? cell : [rng.int(config.rows), rng.int(config.cols)])),
    );
    return state.round < config.rounds ? { ...state, paths } : null;
  },

  solvable: (config, instance) => instance.pieces.length === config.pieces,
});
