// The runs of a real model behind docs/results.md: two games, settings that a laptop's processor can bear. What a seed
// costs stands in docs/LOG.md.
import type { Planned } from './plan.ts';

/** MB: keys and values of 32 episodes side by side stay from step to step. */
export const REAL_MEMORY = 3000;

/** Every arm learns once, from 32 episodes; memories block by block, so that all arms play side by side. */
const BUDGET = { explore: 32, every: 32, strict: 12, frozenReplicates: 1, split: ['strict'], historyEpisodes: 2 };
const PATHWAYS = [
  'frozen',
  'history@blocks',
  'summary@blocks',
  'training',
  'training-random',
  'training@oracle-judge',
  'training@oracle-experience',
];

/** An episode of Snake has some 1,100 tokens, one of Trust 400: about as many tokens are trained on in both. */
export const REAL_PLAN: readonly Planned[] = [
  {
    section: 'real-trust',
    settings: () => ({ ...BUDGET, games: ['trust-v1'], pathways: PATHWAYS, trainSteps: 4, trainBatch: 2 }),
  },
  {
    section: 'real-snake',
    settings: () => ({
      ...{ ...BUDGET, games: ['snake-v1'], pathways: PATHWAYS, trainSteps: 4, trainBatch: 1 },
      // Its episodes are three times as long.
      ...{ strict: 8, historyEpisodes: 1 },
    }),
  },
];
