// The snake's world: cells, moves, apples from a resolved schedule. Knows no text.
import type { Rng } from '../contract.ts';
import type { SnakeConfig } from './config.ts';

export const DIRECTIONS = ['UP', 'DOWN', 'LEFT', 'RIGHT'] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const OPPOSITE: Record<Direction, Direction> = { UP: 'DOWN', DOWN: 'UP', LEFT: 'RIGHT', RIGHT: 'LEFT' };

/** A cell is row * width + column. */
export const STEP = (config: SnakeConfig): Record<Direction, number> => ({
  UP: -config.width,
  DOWN: config.width,
  LEFT: -1,
  RIGHT: 1,
});

// A type, not an interface: instances are Json.
export type SnakeInstance = {
  start: number;
  obstacles: number[];
  /** Apple j lies on free cell number floor(draws[j] / 2^32 * free cells), counted row by row. */
  draws: number[];
};

export interface SnakeState {
  /** Head first. */
  readonly body: readonly number[];
  readonly heading: Direction;
  readonly apples: readonly number[];
  readonly obstacles: readonly number[];
  readonly draws: readonly number[];
  /** Draws used so far. */
  readonly spawned: number;
  readonly eaten: number;
  readonly dead: boolean;
}

export function interior(config: SnakeConfig): number[] {
  const cells: number[] = [];
  for (let row = 1; row < config.height - 1; row++) {
    for (let column = 1; column < config.width - 1; column++) cells.push(row * config.width + column);
  }
  return cells;
}

export function isWall(config: SnakeConfig, cell: number): boolean {
  const row = Math.floor(cell / config.width);
  const column = cell % config.width;
  return row <= 0 || column <= 0 || row >= config.height - 1 || column >= config.width - 1;
}

export const middle = ({ width, height }: SnakeConfig) => Math.floor(height / 2) * width + Math.floor(width / 2);

/** Obstacles never cut the board in two, so that every apple can be reached by a short snake. */
export function generate(config: SnakeConfig, rng: Rng): SnakeInstance {
  for (;;) {
    const start = middle(config);
    const cells = rng.shuffle(interior(config).filter((cell) => cell !== start));
    const obstacles = cells.slice(0, config.obstacles).sort((a, b) => a - b);
    const draws = Array.from({ length: config.apples + config.stepCap }, () => rng.int(4294967296));
    const instance = { start, obstacles, draws };
    if (connected(config, instance)) return instance;
  }
}

export function connected(config: SnakeConfig, { start, obstacles }: SnakeInstance): boolean {
  const reached = reach(config, start, new Set(obstacles));
  return reached.size === interior(config).length - obstacles.length;
}

/** The cells that can be reached from a cell when `blocked` stays where it is. */
export function reach(config: SnakeConfig, from: number, blocked: ReadonlySet<number>): Set<number> {
  const seen = new Set([from]);
  const steps = Object.values(STEP(config));
  for (const cell of seen) {
    for (const step of steps) {
      const next = cell + step;
      if (!isWall(config, next) && !blocked.has(next)) seen.add(next);
    }
  }
  return seen;
}

export function begin(config: SnakeConfig, { start, obstacles, draws }: SnakeInstance): SnakeState {
  let state: SnakeState = {
    body: [start],
    heading: 'UP',
    apples: [],
    obstacles,
    draws,
    spawned: 0,
    eaten: 0,
    dead: false,
  };
  for (let i = 0; i < config.apples; i++) state = spawn(config, state);
  return state;
}

function spawn(config: SnakeConfig, state: SnakeState): SnakeState {
  const taken = new Set([...state.body, ...state.apples, ...state.obstacles]);
  const free = interior(config).filter((cell) => !taken.has(cell));
  if (free.length === 0) return state;
  const draw = state.draws[state.spawned]!;
  const cell = free[Math.floor((draw / 4294967296) * free.length)]!;
  return { ...state, apples: [...state.apples, cell], spawned: state.spawned + 1 };
}

/** Whether the head may enter the cell in this step; the cell that the tail leaves counts as free. */
export function isFree(config: SnakeConfig, state: SnakeState, cell: number): boolean {
  if (isWall(config, cell) || state.obstacles.includes(cell)) return false;
  const at = state.body.indexOf(cell);
  return at < 0 || at === state.body.length - 1;
}

/** One step that is no reversal. A collision changes nothing but `dead`, and that in strict only. */
export function move(
  config: SnakeConfig,
  state: SnakeState,
  direction: Direction,
): { state: SnakeState; collided: boolean } {
  const head = state.body[0]! + STEP(config)[direction];
  if (!isFree(config, state, head)) {
    return { state: config.phase === 'strict' ? { ...state, dead: true } : state, collided: true };
  }
  if (!state.apples.includes(head)) {
    return { state: { ...state, heading: direction, body: [head, ...state.body.slice(0, -1)] }, collided: false };
  }
  const fed: SnakeState = {
    ...state,
    heading: direction,
    body: [head, ...state.body],
    apples: state.apples.filter((apple) => apple !== head),
    eaten: state.eaten + 1,
  };
  return { state: spawn(config, fed), collided: false };
}

/** The directions that are no reversal, in the fixed order. */
export const legal = (state: SnakeState): Direction[] =>
  DIRECTIONS.filter((direction) => direction !== OPPOSITE[state.heading]);

/** The legal directions that do not collide now. */
export const open = (config: SnakeConfig, state: SnakeState): Direction[] =>
  legal(state).filter((direction) => isFree(config, state, state.body[0]! + STEP(config)[direction]));

export function distance(config: SnakeConfig, a: number, b: number): number {
  const { width } = config;
  return Math.abs(Math.floor(a / width) - Math.floor(b / width)) + Math.abs((a % width) - (b % width));
}

/** Apples, the nearest first; ties row by row. */
export const byDistance = (config: SnakeConfig, state: SnakeState): number[] =>
  [...state.apples].sort((a, b) => distance(config, state.body[0]!, a) - distance(config, state.body[0]!, b) || a - b);
