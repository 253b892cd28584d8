// TEST DATA: what a synthetic log may be asked to hold, and the facts of its invented game.
import type { Preset, Split } from '../games/contract.ts';
import { bareName } from '../games/names.ts';
import type { RunEvent } from '../src/log/events.ts';
import type { ReportContext } from '../src/report/context.ts';

export interface SyntheticArm {
  name: string;
  /** Added to each strict score at the last checkpoint, growing linearly from x = 0. */
  effect?: number;
  label?: 'hidden-reward' | 'oracle-fed';
  note?: string;
  controls?: string[];
}

export interface SyntheticOptions {
  arms?: SyntheticArm[];
  games?: string[];
  seeds?: number[];
  preset?: Preset;
  explore?: number;
  every?: number;
  strict?: number;
  frozenReplicates?: number;
  splits?: Split[];
  /** Noise of one strict score, sd; 0: every score is base + effect. */
  noise?: number;
  base?: number;
  /** Number of clusters that strict instances fall into (Trust's opponents); absent: none. */
  clusters?: number;
  /** Checkpoints that failed, as `arm x`. */
  failed?: string[];
  /** Share of exploration steps whose self-score is right; the rest are wrong in sign. */
  judging?: number;
  /** Self-score of every step, whatever happens. */
  constantScore?: number;
  stepsPerEpisode?: number;
  from?: RunOpenedFrom;
  config?: Record<string, string | number | boolean>;
  /** Leaves the log open after so many events. */
  cutAt?: number;
  /** What run.closed says; default an empty report. */
  report?: (events: RunEvent[]) => { report: object; ledger: object };
  /** Another text, another model hash. */
  model?: string;
}
type RunOpenedFrom = { adapter?: string; memory?: string };

/** Facts and baselines of an invented game: random 2, expert 7, rewards from 0 to 1 in exploration. */
export const syntheticContext: ReportContext = {
  facts: (game) => ({
    title: bareName(game),
    unit: 'apples',
    scoreStep: 1,
    grammar: 'UP|DOWN',
    scoreBounds: [0, 24],
    stepRewardBounds: { explore: [0, 1], strict: [0, 12] },
    rolesExempt: false,
    order: 0,
  }),
  baselines: () => ({ random: 2, randomSe: 0.05, expert: 7, expertSe: 0.05, n: 1000 }),
};
