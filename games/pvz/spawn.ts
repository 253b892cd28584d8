// The chance of the game: which zombies come when, drawn once for the instance, whatever the agent does.
import type { Rng } from '../contract.ts';
import { LEVEL_EVERY, LEVEL_HP, SPAWN_EVERY, zombieKinds, zombies, type PvzConfig, type ZombieKind } from './config.ts';
import type { Zombie } from './turn.ts';

export type Spawn = { turn: number; row: number; kind: ZombieKind };
export type PvzInstance = { spawns: Spawn[] };

/** Zombies that come at the end of `turn`. */
export const spawnCount = (turn: number) => (turn % SPAWN_EVERY === 0 ? 1 + Math.floor(turn / LEVEL_EVERY) : 0);

export function drawSpawns(config: PvzConfig, rng: Rng, from = 0): Spawn[] {
  const spawns: Spawn[] = [];
  for (let turn = from; turn < config.stepCap; turn++) {
    const allowed = zombieKinds.filter((kind) => zombies[kind].from <= turn);
    for (let n = spawnCount(turn); n > 0; n--)
      spawns.push({ turn, row: rng.int(config.rows), kind: rng.pick(allowed) });
  }
  return spawns;
}

/** The zombies that enter at the end of `turn`, at the right edge. */
export const arriving = (config: PvzConfig, spawns: readonly Spawn[], turn: number): Zombie[] =>
  spawns
    .filter((spawn) => spawn.turn === turn)
    .map(({ row, kind }) => ({ kind, row, col: config.cols - 1, hp: hpOf(kind, turn) }));

export const hpOf = (kind: ZombieKind, turn: number) => zombies[kind].hp + LEVEL_HP * Math.floor(turn / LEVEL_EVERY);
