// The numbers of pvz-v1: sizes, plants, zombies, income. The rules' texts print from here, the engine reads from here.
import type { GameConfig, Phase, Preset } from '../contract.ts';

export interface PvzConfig extends GameConfig {
  readonly rows: number;
  readonly cols: number;
}

export const START_SUN = 50;
export const INCOME = 25;
export const SUNFLOWER_INCOME = 10;
/** Zombies come at the end of turns 0, 5, 10, …; every 10 turns one more of them, each with 4 more HP. */
export const SPAWN_EVERY = 5;
export const LEVEL_EVERY = 10;
export const LEVEL_HP = 4;

export type PlantKind = 'X' | 'W' | 'S' | 'J' | 'H' | 'F';
export const plants = {
  X: { name: 'sunflower', cost: 50, hp: 2 },
  W: { name: 'peashooter', cost: 100, hp: 2 },
  S: { name: 'three-line shooter', cost: 325, hp: 2 },
  J: { name: 'wall-nut', cost: 50, hp: 10 },
  H: { name: 'torch stump', cost: 125, hp: 2 },
  F: { name: 'fire chili', cost: 300, hp: 0 }, // never stays
} as const satisfies Record<PlantKind, { name: string; cost: number; hp: number }>;
export const plantKinds = Object.keys(plants) as PlantKind[];

export type ZombieKind = 'N' | 'R' | 'B' | 'I';
export const zombies = {
  N: { hp: 4, damage: 1, from: 0 },
  R: { hp: 8, damage: 1, from: 10 },
  B: { hp: 12, damage: 1, from: 20 },
  I: { hp: 6, damage: 3, from: 20 },
} as const satisfies Record<ZombieKind, { hp: number; damage: number; from: number }>;
export const zombieKinds = Object.keys(zombies) as ZombieKind[];

function sized(preset: Preset, phase: Phase, rows: number, cols: number, cap: number): PvzConfig {
  return { preset, phase, rows, cols, stepCap: cap, scoreBounds: [0, cap], stepRewardBounds: [0, 1], scoreStep: 1 };
}

export const configs = {
  paper: { explore: sized('paper', 'explore', 3, 7, 64), strict: sized('paper', 'strict', 5, 6, 64) },
  pocket: { explore: sized('pocket', 'explore', 2, 6, 24), strict: sized('pocket', 'strict', 3, 6, 32) },
} as const;
