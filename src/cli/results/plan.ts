// The runs behind docs/results.md, by the name of their log. Every number in it comes from these.
import { bareName } from '../../../games/names.ts';
import { games } from '../../../games/registry.ts';
import type { Settings } from '../../gym/settings.ts';

/** Six run seeds make a claim; three are enough to name a bottleneck and to see what an adapter does elsewhere. */
export const SEEDS = [1, 2, 3, 4, 5, 6];
export const FEWER_SEEDS = [1, 2, 3];

const BUDGET: Settings = { explore: 30, every: 15, strict: 100, frozenReplicates: 2, split: ['strict'] };
const ARMS = [
  'frozen',
  'frozen-sharp',
  'history',
  'history-ranked',
  'history-shuffled',
  'summary',
  'training',
  'training-random',
];
const ORACLES = ['training@oracle-judge', 'training@oracle-experience', 'summary@oracle-guidance'];

export interface Planned {
  /** Logs of one section stand in one report, one log a run seed. */
  section: string;
  /** Of the run seed; all but `seeds`. */
  settings(seed: number): Settings;
}

export const PLAN: readonly Planned[] = [
  ...[...games.keys()].map((id): Planned => ({
    section: bareName(id),
    settings: (seed) => ({
      ...BUDGET,
      games: [id],
      pathways: FEWER_SEEDS.includes(seed) ? [...ARMS, ...ORACLES] : ARMS,
    }),
  })),
  {
    section: 'trust-retaliating',
    settings: () => ({
      ...BUDGET,
      games: ['trust-v1'],
      pathways: ['frozen', 'history-ranked', 'summary', 'training', 'training-random'],
      opponents: 'retaliating',
    }),
  },
];

/** An adapter of a game's `training` arm, played on all games. */
export const CARRIED: Settings = {
  ...BUDGET,
  strict: 50,
  frozenReplicates: 1,
  explore: 0,
  pathways: ['frozen', 'training'],
  games: [...games.keys()],
};
