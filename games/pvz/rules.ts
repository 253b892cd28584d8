// The rules' texts with the numbers that the engine applies.
import { fill } from '../template.ts';
import {
  INCOME,
  LEVEL_EVERY,
  LEVEL_HP,
  plantKinds,
  plants,
  SPAWN_EVERY,
  START_SUN,
  SUNFLOWER_INCOME,
  zombieKinds,
  zombies,
  type PlantKind,
  type PvzConfig,
} from './config.ts';
import paperRules from './rules.paper.txt?raw';
import pocketRules from './rules.pocket.txt?raw';

const effects: Readonly<Record<PlantKind, string>> = {
  X: `gives ${SUNFLOWER_INCOME} sun a turn`,
  W: 'deals 1 damage a turn in its row',
  S: 'deals 1 damage a turn in its row and in each adjacent row',
  J: 'only stands in the way',
  H: 'a shooter in the cell to its left deals 1 more damage in that row',
  F: 'kills all zombies of its row, then is gone; its cell must be free',
};

const zombieLine = (kind: keyof typeof zombies) => {
  const { hp, damage, from } = zombies[kind];
  return `${kind}: ${hp}, ${damage}${from > 0 ? `, from turn ${from} on` : ''}`;
};

/** The same, in a word or two. */
const brief: Readonly<Record<PlantKind, string>> = {
  X: `gives ${SUNFLOWER_INCOME} sun a turn`,
  W: 'shoots its row',
  S: 'three rows',
  J: 'blocks',
  H: 'helps the shooter left of it',
  F: 'kills its row',
};

export function rules(config: PvzConfig): string {
  const { rows, cols, stepCap: cap } = config;
  const pocket = config.preset === 'pocket';
  const outcome = config.phase === 'strict' ? 'ends the game' : 'is skipped';
  return fill(pocket ? pocketRules : paperRules, {
    rows,
    cols,
    cap,
    start: START_SUN,
    income: INCOME,
    flower: SUNFLOWER_INCOME,
    every: SPAWN_EVERY,
    twice: 2 * SPAWN_EVERY,
    level: LEVEL_EVERY,
    levelHp: LEVEL_HP,
    plants: plantKinds.map((kind) => (pocket ? briefLine(kind) : plantLine(kind))).join(pocket ? ', ' : '\n'),
    zombies: zombieKinds.map(zombieLine).join('\n'),
    mistakes: pocket ? outcome : `A plant that you cannot pay, an occupied cell or one out of range ${outcome}.`,
  });
}

const briefLine = (kind: PlantKind) => `${kind} ${plants[kind].cost} ${brief[kind]}`;

function plantLine(kind: PlantKind): string {
  const { name, cost, hp } = plants[kind];
  return `${kind} ${name}: cost ${cost}, ${hp > 0 ? `HP ${hp}, ` : ''}${effects[kind]}`;
}
