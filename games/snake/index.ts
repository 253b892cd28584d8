// Snake: eat apples, do not collide. Assembles the folder's parts into the contract.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { matchAction } from '../grammar.ts';
import { fill } from '../template.ts';
import { configs, type SnakeConfig } from './config.ts';
import guidance from './guidance.txt?raw';
import rulesPaper from './rules.paper.txt?raw';
import rulesPocket from './rules.pocket.txt?raw';
import { expert, random, strategies, tips } from './strategies.ts';
import { board, legend, line } from './views.ts';
import {
  begin,
  connected,
  generate,
  legal,
  move,
  OPPOSITE,
  type Direction,
  type SnakeInstance,
  type SnakeState,
} from './world.ts';

const GRAMMAR = 'UP|DOWN|LEFT|RIGHT';
/** What a collision and an invalid answer do, for the rules. */
const EFFECT = { explore: 'changes nothing but takes a step', strict: 'ends the game' };

export default defineGame<SnakeConfig, SnakeInstance, SnakeState>({
  ...about,
  id: 'snake-v1',
  configs,
  legend,

  rules(config) {
    const { width, height, apples, stepCap } = config;
    return fill(config.preset === 'pocket' ? rulesPocket : rulesPaper, {
      width,
      height,
      columns: width - 2,
      rows: height - 2,
      apples,
      steps: stepCap,
      obstacles: config.obstacles > 0 ? ` and ${config.obstacles} obstacles that never move` : '',
      effect: EFFECT[config.phase],
    });
  },
  guidance: (config) => (config.preset === 'pocket' ? tips.expert! : guidance.trim()),

  generate,
  start: begin,
  board,
  line,

  grammar: () => GRAMMAR,
  actions: (_, state) => (state.dead ? [] : legal(state)),
  step(config, state, action) {
    if (!matchAction(GRAMMAR, action)) return { valid: false, reason: 'unknown word' };
    const direction = action.toUpperCase() as Direction;
    if (direction === OPPOSITE[state.heading]) return { valid: false, reason: 'reverses the heading' };
    if (state.dead) return { valid: false, reason: 'the snake is dead', terminated: true };
    const { state: next, collided } = move(config, state, direction);
    return { valid: true, state: next, feedback: collided ? 'collision' : '', terminated: next.dead };
  },

  score: (_, state) => state.eaten,
  success: (config, state) => state.eaten >= config.goal,

  random,
  expert,
  strategies,
  tips,
  alternative(config, state, rng) {
    // Only the apples still to come are hidden.
    const draws = state.draws.map((draw, i) => (i < state.spawned ? draw : rng.int(4294967296)));
    return state.spawned < config.apples + config.stepCap ? { ...state, draws } : null;
  },
  solvable: connected,
});
