// Finds every game by its folder. A new game is one new folder with an index.ts; nothing here changes.
import type { Game } from './contract.ts';
import { bareName, named } from './names.ts';

const modules = import.meta.glob<{ default: Game }>('./*/index.ts', { eager: true });

/** The games by id, in the paper's order where it has one, then by name. */
export const games: ReadonlyMap<string, Game> = new Map(
  Object.values(modules)
    .map((module) => module.default)
    .sort((a, b) => order(a.id) - order(b.id) || (a.id < b.id ? -1 : 1))
    .map((game) => [game.id, game]),
);

function order(id: string) {
  const names = ['chess', 'minesweeper', 'nullify', 'tetris', 'snake', 'pvz', 'trust'];
  const index = names.indexOf(bareName(id));
  return index < 0 ? names.length : index;
}

/** By id (`snake-v1`) or by its bare name (`snake`); undefined when there is none. */
export const findGame = (name: string): Game | undefined => named(games.values(), name);
