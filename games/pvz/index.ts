// pvz-v1: buy plants to hold rows against zombies. What comes when is drawn with the instance and stays hidden.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { actions, grammar } from './action.ts';
import { configs, START_SUN, type PvzConfig } from './config.ts';
import { expert } from './expert.ts';
import { random, strategies, tips } from './strategies.ts';
import guidance from './guidance.txt?raw';
import { rules } from './rules.ts';
import { drawSpawns, type PvzInstance } from './spawn.ts';
import { step, type PvzState } from './state.ts';
import { emptyField } from './turn.ts';
import { board, line } from './views.ts';

export default defineGame<PvzConfig, PvzInstance, PvzState>({
  ...about,
  id: 'pvz-v1',
  configs,
  legend: {
    board: '0123456789.+ \nXWSJHFNRBIturnofs',
    line: '0123456789-;, XWSJHFturnsbyfeozmihp',
  },

  rules,
  guidance: () => guidance.trim(),

  generate: (config, rng) => ({ spawns: drawSpawns(config, rng) }),
  start: (config, { spawns }) => ({ field: emptyField(config, START_SUN), spawns }),
  board: (config, state) => board(config, state.field),
  line,

  grammar: () => grammar,
  actions: (config, state) => actions(config, state.field),
  step,

  score: (_config, state) => state.field.turn,
  success: (config, state) => state.field.turn >= config.stepCap,
  random,
  expert: (config, state) => expert(config, state),
  strategies,
  tips,
  reveal(_, { field, spawns }) {
    const next = spawns.filter(({ turn }) => turn >= field.turn).slice(0, 6);
    const words = next.map(({ turn, row, kind }) => `${kind} in row ${row} after turn ${turn}`);
    return words.length > 0 ? `Next would have come: ${words.join(', ')}.` : 'Nothing more would have come.';
  },

  alternative(config, state, rng) {
    const past = state.spawns.filter(({ turn }) => turn < state.field.turn);
    const spawns = [...past, ...drawSpawns(config, rng, state.field.turn)];
    return JSON.stringify(spawns) === JSON.stringify(state.spawns) ? null : { ...state, spawns };
  },
});
