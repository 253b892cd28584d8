// The runs behind docs/results.md, by the name of their log. Every number in it comes from these.
import { games } from '../../../games/registry.ts';
import type { Settings } from '../../gym/settings.ts';

/** Six run seeds make a claim; three are enough to name a bottleneck and to see what an adapter does elsewhere. */
export const SEEDS = [1, 2, 3, 4, 5, 6];
export const FEWER_SEEDS = [1, 2, 3];

const BUDGET: Settings = { explore: 30, every: 15, strict: 100, frozenReplicates: 2, split: 'strict' };
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
const ORACLES = ['frozen', 'training@oracle-judge', 'training@oracle-experience', 'summary@oracle-guidance'];

export interface Planned {
  /** Name of the log. */
  name: string;
  /** Logs of one section stand in one report. */
  section: string;
  settings: Settings;
}

export const PLAN: readonly Planned[] = [
  ...[...games.keys()].flatMap((id): Planned[] => {
    const name = id.replace(/-v\d+$/, '');
    return [
      { name, section: name, settings: { ...BUDGET, games: [id], pathways: ARMS, seeds: SEEDS } },
      {
        name: `${name}-oracles`,
        section: name,
        settings: { ...BUDGET, games: [id], pathways: ORACLES, seeds: FEWER_SEEDS },
      },
    ];
  }),
  {
    name: 'trust-retaliating',
    section: 'trust-retaliating',
    settings: {
      ...BUDGET,
      games: ['trust-v1'],
      pathways: ['frozen', 'history-ranked', 'summary', 'training', 'training-random'],
      seeds: SEEDS,
      opponents: 'retaliating',
    },
  },
];

/** An adapter of a game's `training` arm, played on all games. */
export const CARRIED: Settings = {
  ...BUDGET,
  strict: 60,
  explore: 0,
  pathways: ['frozen', 'training'],
  games: [...games.keys()],
};
