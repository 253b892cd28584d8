// Titles and units of the seven games for the first paint; the games themselves stay out of the initial bundle.
export interface GameTitle {
  id: string;
  title: string;
  unit: string;
  /** One held-out instance, in words: `board`; and several. */
  instance: string;
  instances: string;
  ask: string;
}

export const GAMES: readonly GameTitle[] = [
  {
    id: 'snake-v1',
    title: 'Snake',
    unit: 'apples',
    instance: 'board',
    instances: 'boards',
    ask: 'eat apples, keep moving',
  },
  {
    id: 'tetris-v1',
    title: 'Tetris',
    unit: 'rows',
    instance: 'sequence',
    instances: 'sequences',
    ask: 'place falling pieces, clear rows',
  },
  {
    id: 'trust-v1',
    title: 'Trust',
    unit: 'points',
    instance: 'match',
    instances: 'matches',
    ask: 'collaborate or cheat, ten rounds',
  },
  {
    id: 'minesweeper-v1',
    title: 'Minesweeper',
    unit: 'share of cells',
    instance: 'board',
    instances: 'boards',
    ask: 'open what is safe',
  },
  {
    id: 'chess-v1',
    title: 'Chess',
    unit: 'share right',
    instance: 'board',
    instances: 'boards',
    ask: 'infer how hidden pieces move',
  },
  {
    id: 'nullify-v1',
    title: 'Nullify',
    unit: 'share solved',
    instance: 'puzzle',
    instances: 'puzzles',
    ask: 'merge numbers to nothing',
  },
  {
    id: 'pvz-v1',
    title: 'Plants vs. Zombies',
    unit: 'turns',
    instance: 'level',
    instances: 'levels',
    ask: 'plant, defend, survive',
  },
];

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
