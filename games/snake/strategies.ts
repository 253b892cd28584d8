// Ten ways to play Snake, each with its advice in the words an agent would use.
import type { Rng } from '../contract.ts';
import type { SnakeConfig } from './config.ts';
import { expertMove } from './expert.ts';
import { byDistance, distance, legal, open, STEP, type Direction, type SnakeState } from './world.ts';

type Strategy = (config: SnakeConfig, state: SnakeState, rng: Rng) => Direction;

export const random: Strategy = (_, state, rng) => rng.pick(legal(state));
export const expert: Strategy = (config, state) => expertMove(config, state);

const TURN_RIGHT: Record<Direction, Direction> = { UP: 'RIGHT', RIGHT: 'DOWN', DOWN: 'LEFT', LEFT: 'UP' };
const turnLeft = (direction: Direction) => TURN_RIGHT[TURN_RIGHT[TURN_RIGHT[direction]]];

/** The first of `wanted` that is open; else any open one; else straight into it. */
function first(config: SnakeConfig, state: SnakeState, wanted: readonly Direction[]): Direction {
  const choices = open(config, state);
  return wanted.find((direction) => choices.includes(direction)) ?? choices[0] ?? state.heading;
}

/** The direction among `choices` that comes nearest to the target; ties in the fixed order. */
function towards(config: SnakeConfig, state: SnakeState, target: number | undefined, choices: readonly Direction[]) {
  if (target === undefined) return choices[0] ?? state.heading;
  const after = (direction: Direction) => distance(config, state.body[0]! + STEP(config)[direction], target);
  return [...choices].sort((a, b) => after(a) - after(b))[0] ?? state.heading;
}

export const strategies: Readonly<Record<string, Strategy>> = {
  random,
  randomFree: (config, state, rng) => {
    const choices = open(config, state);
    return choices.length > 0 ? rng.pick(choices) : state.heading;
  },
  straight: (config, state) => first(config, state, [state.heading]),
  hugWall: (config, state) => first(config, state, [turnLeft(state.heading), state.heading, TURN_RIGHT[state.heading]]),
  clockwise: (config, state) => first(config, state, [TURN_RIGHT[state.heading], state.heading]),
  avoidApples: (config, state, rng) => {
    const head = state.body[0]!;
    const choices = open(config, state).filter((direction) => !state.apples.includes(head + STEP(config)[direction]));
    return choices.length > 0 ? rng.pick(choices) : first(config, state, []);
  },
  farApple: (config, state) => towards(config, state, byDistance(config, state).at(-1), open(config, state)),
  greedyBlind: (config, state) => towards(config, state, byDistance(config, state)[0], legal(state)),
  greedyNearest: (config, state) => towards(config, state, byDistance(config, state)[0], open(config, state)),
  expertHalf: (config, state, rng) => (rng.next() < 0.5 ? expert : random)(config, state, rng),
  expert,
};

export const tips: Readonly<Record<string, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  randomFree: 'retain: choose any free move avoid: walls and body next: choose any free move again',
  straight: 'retain: keep the heading avoid: turns next: turn only at a wall',
  hugWall: 'retain: turn left when free avoid: the middle next: follow the wall',
  clockwise: 'retain: turn right when free avoid: the same heading next: go in a circle',
  avoidApples: 'retain: choose any free move avoid: apples next: go away from apples',
  farApple: 'retain: go to the far apple avoid: the nearest apple next: only free moves',
  greedyBlind: 'retain: go to the nearest apple avoid: nothing next: go even when not free',
  greedyNearest: 'retain: go to the nearest apple avoid: walls and body next: only free moves',
  expertHalf: 'retain: go to the nearest apple avoid: nothing next: often choose any move',
  expert: 'retain: go to the nearest apple avoid: walls and body next: keep free cells and an escape',
};
