// nullify-v1: merge numbers and operators until nothing is left. Deterministic, nothing hidden.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { fill } from '../template.ts';
import { configs, type NullifyConfig } from './config.ts';
import { actions, expert, random, strategies, tips } from './expert.ts';
import { generate, type NullifyInstance } from './generate.ts';
import guidance from './guidance.txt?raw';
import paperRules from './rules.paper.txt?raw';
import pocketRules from './rules.pocket.txt?raw';
import { grammar, score, step, type NullifyState } from './state.ts';
import { merged, readUnit, type Unit } from './units.ts';
import { board, line } from './views.ts';

export default defineGame<NullifyConfig, NullifyInstance, NullifyState>({
  ...about,
  id: 'nullify-v1',
  configs,
  legend: {
    board: '0123456789:-*/ \nsqrtuaecipolfnhg',
    line: '0123456789-*/=, sqrtuaecipolfnmghdb',
  },

  rules: (config) => fill(config.preset === 'pocket' ? pocketRules : paperRules, { cap: config.stepCap }),
  guidance: () => guidance.trim(),

  generate,
  start: (_config, { units }) => ({ units, given: units.length, kept: 0 }),
  board: (_config, state) => board(state.units),
  line,

  grammar: () => grammar,
  actions: (_config, state) => actions(state),
  step,
  score,
  success: (_config, state) => state.units.length === 0,
  random,
  expert,
  strategies,
  tips,

  alternative: () => null, // nothing is hidden

  solvable(_config, { units, solution }) {
    let at: Unit[] | string = units.map(readUnit);
    for (const [i, j] of solution) if (typeof at !== 'string') at = merged(at, i, j);
    return at.length === 0;
  },
});
