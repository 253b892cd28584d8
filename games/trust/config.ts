// Trust's sizes, payoffs, opponents and published priors, as data. Knows no strategy.
import type { GameConfig, GameOption, GameOptions, Phase, Preset, Split } from '../contract.ts';

export const OPPONENTS = [
  'cooperator', 'cheater', 'copycat', 'grudger', 'copykitten', 'detective', 'simpleton', 'random',
] as const; // prettier-ignore
export type Opponent = (typeof OPPONENTS)[number];
export type Prior = Readonly<Partial<Record<Opponent, number>>>;

/** Points to the agent, by what both did. */
export interface Payoff {
  readonly both: number;
  readonly exploited: number;
  readonly cheat: number;
  readonly none: number;
}

export interface TrustConfig extends GameConfig {
  readonly rounds: number;
  readonly payoff: Payoff;
  /** A round without a valid answer, or never played. */
  readonly lostRound: number;
  /** How likely each opponent is; the expert plays against this. */
  readonly prior: Prior;
}

const ROUNDS = 10;
const PAYOFF: Payoff = { both: 2, exploited: -1, cheat: 3, none: 0 };

const uniform = (opponents: readonly Opponent[]): Prior =>
  Object.fromEntries(opponents.map((opponent) => [opponent, 1 / opponents.length]));

export const PRIORS = {
  strict: uniform(OPPONENTS.slice(0, 7)),
  unseen: uniform(['grudger', 'detective']),
  retaliating: uniform(['copycat', 'grudger', 'detective', 'simpleton']),
  explore: { cooperator: 0.3, copykitten: 0.25, copycat: 0.2, cheater: 0.1, simpleton: 0.1, random: 0.05 },
  // The hold-out is given up: grudger and detective come in for a part of the two friendliest.
  exploreAll: {
    cooperator: 0.25, copykitten: 0.2, copycat: 0.2, cheater: 0.1, simpleton: 0.1, random: 0.05, grudger: 0.05, detective: 0.05,
  }, // prettier-ignore
} as const satisfies Record<string, Prior>;

export const options: readonly GameOption[] = [
  {
    key: 'opponents',
    choices: ['mixed', 'retaliating'],
    default: 'mixed',
    help: 'who is met in exploration: all kinds, or only those that answer a cheat',
  },
  {
    key: 'unseen',
    choices: ['on', 'off'],
    default: 'on',
    help: 'on keeps grudger and detective out of exploration, so that the unseen split is a hold-out',
  },
];

const make = (preset: Preset, phase: Phase): TrustConfig => ({
  preset,
  phase,
  stepCap: ROUNDS,
  scoreBounds: [-ROUNDS, ROUNDS * PAYOFF.cheat],
  stepRewardBounds: [-1, PAYOFF.cheat],
  scoreStep: 1,
  rounds: ROUNDS,
  payoff: PAYOFF,
  lostRound: -1,
  prior: phase === 'explore' ? PRIORS.explore : PRIORS.strict,
});

export const configs = {
  pocket: { explore: make('pocket', 'explore'), strict: make('pocket', 'strict') },
  paper: { explore: make('paper', 'explore'), strict: make('paper', 'strict') },
};

export function configure(config: TrustConfig, split: Split, chosen: GameOptions): TrustConfig {
  if (config.phase === 'strict') return split === 'unseen' ? { ...config, prior: PRIORS.unseen } : config;
  if (chosen.opponents === 'retaliating') return { ...config, prior: PRIORS.retaliating };
  return chosen.unseen === 'off' ? { ...config, prior: PRIORS.exploreAll } : config;
}
