// Words about the games for the first paint; the games themselves stay out of the initial bundle.
import { bareName, named } from '../../games/names.ts';

interface GameTitle {
  id: string;
  title: string;
  unit: string;
  /** What it asks, in a few words. */
  ask: string;
  /** One held-out instance, in words: `board`; and several. */
  instance: string;
  instances: string;
}

const files = import.meta.glob<GameTitle>('../../games/*/about.json', { eager: true, import: 'default' });

/** What is liveliest to look at first; a game that isn't named comes after them. */
const FIRST = ['snake', 'tetris', 'trust'];
const rank = (id: string) => {
  const at = FIRST.indexOf(bareName(id));
  return at < 0 ? FIRST.length : at;
};

export const GAMES: readonly GameTitle[] = Object.values(files).sort(
  (a, b) => rank(a.id) - rank(b.id) || (a.title < b.title ? -1 : 1),
);

/** The id of the game that a name means; what names none stays as it is. */
export const gameId = (name: string): string => named(GAMES, name)?.id ?? name;

export const gameTitle = (id: string): GameTitle =>
  GAMES.find((game) => game.id === id) ?? {
    id,
    title: id,
    unit: 'points',
    instance: 'instance',
    instances: 'instances',
    ask: '',
  };

/** A score with its unit: `4 apples`, `0.93 (share of cells)`. */
export const scored = (text: string, { unit }: GameTitle) =>
  unit.startsWith('share') ? `${text} (${unit})` : `${text} ${unit}`;
