// Breadth-first search to the nearest apple that keeps an escape. Sees the board and the body, never a later apple.
import type { SnakeConfig } from './config.ts';
import { isWall, legal, move, open, reach, STEP, type Direction, type SnakeState } from './world.ts';

/** The shortest path to any of `goals`, in directions; a body cell is free from the step in which the tail leaves it. */
export function pathTo(config: SnakeConfig, state: SnakeState, goals: ReadonlySet<number>): Direction[] | null {
  const step = STEP(config);
  const freeFrom = new Map(state.body.map((cell, i) => [cell, state.body.length - i]));
  for (const cell of state.obstacles) freeFrom.set(cell, Infinity);
  const [head] = state.body as [number];
  const cameBy = new Map<number, { from: number; direction: Direction }>();
  let frontier = [head];
  for (let time = 1; frontier.length > 0; time++) {
    const next: number[] = [];
    for (const cell of frontier) {
      const choices = cell === head ? legal(state) : (Object.keys(step) as Direction[]);
      for (const direction of choices) {
        const to = cell + step[direction];
        if (to === head || cameBy.has(to) || isWall(config, to) || time < (freeFrom.get(to) ?? 0)) continue;
        cameBy.set(to, { from: cell, direction });
        if (goals.has(to)) return trace(cameBy, head, to);
        next.push(to);
      }
    }
    frontier = next;
  }
  return null;
}

function trace(cameBy: Map<number, { from: number; direction: Direction }>, head: number, to: number): Direction[] {
  const path: Direction[] = [];
  for (let cell = to; cell !== head;) {
    const { from, direction } = cameBy.get(cell)!;
    path.unshift(direction);
    cell = from;
  }
  return path;
}

/** Whether the head can still follow its tail, so that it need not die soon. */
function escapes(config: SnakeConfig, state: SnakeState): boolean {
  if (state.body.length < 3) return open(config, state).length > 0;
  return pathTo(config, state, new Set([state.body.at(-1)!])) !== null;
}

const room = (config: SnakeConfig, state: SnakeState) =>
  reach(config, state.body[0]!, new Set([...state.body.slice(1, -1), ...state.obstacles])).size;

export function expertMove(config: SnakeConfig, state: SnakeState): Direction {
  const left = new Set(state.apples);
  while (left.size > 0) {
    const path = pathTo(config, state, left);
    if (!path) break;
    let after = state;
    let target = state.body[0]!;
    for (const direction of path) {
      target += STEP(config)[direction];
      after = move(config, { ...after, draws: NO_CHANCE }, direction).state;
    }
    if (escapes(config, after)) return path[0]!;
    left.delete(target);
  }
  return safest(config, state);
}

// Where a planned path eats, the new apple's place is unknown: plan with a fixed one.
const NO_CHANCE = Array.from({ length: 256 }, () => 0);

/** No apple can be had safely: the open direction that keeps an escape, then the most room. */
function safest(config: SnakeConfig, state: SnakeState): Direction {
  const choices = open(config, state).map((direction) => {
    const { state: after } = move(config, { ...state, draws: NO_CHANCE }, direction);
    return { direction, value: (escapes(config, after) ? 1000 : 0) + room(config, after) };
  });
  choices.sort((a, b) => b.value - a.value);
  return choices[0]?.direction ?? legal(state)[0]!;
}
