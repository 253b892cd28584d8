// Types of a report's further parts: self-judging, coupling, transfer, bottleneck, ledger. types.ts exports them all.
import type { ArmName, Estimate } from './types.ts';

export interface JudgingRow {
  game: string;
  arm: ArmName;
  phase: 'explore' | 'strict';
  /** `self`: the score in the answer; `judge`: what the arm was given in its place. */
  source: 'self' | 'judge';
  /** Steps with a parsed score. */
  n: number;
  /** Steps without one. */
  unparsed: number;
  /** Mean of [s > 0] == [r > 0]; interval clustered by episode. */
  agreement: Estimate | null;
  /** Mean |n(s) - n(r)| by the published step-reward bounds, both clipped to them. */
  nmae: number | null;
  /** The same by the range of rewards seen in these steps. */
  nmaeObserved: number | null;
  /** P(s > 0, r <= 0) and P(s <= 0, r > 0). */
  over: number | null;
  under: number | null;
  /** Spread of the scores themselves. */
  distinct: number;
  sd: number | null;
  /** All scores equal: any filter by score is vacuous. */
  constant: boolean;
  /** Share of steps with s > 0, what the default filter keeps. */
  positive: number | null;
  /** Counts of expected (s) against got (r); the values themselves, or centres of 11 bins where there are more. */
  cells: { expected: number; got: number; n: number }[];
}

export interface Correlation {
  n: number;
  pearson: number | null;
  spearman: number | null;
  /** Mean gain after the best third of blocks minus after the worst third. */
  gap: number | null;
}

export interface CouplingRow {
  /** A game's id, or `all`. */
  game: string;
  /** A block's agreement, or -NMAE, against the change of score over the next block, divided by the observed range. */
  agreement: Correlation;
  minusNmae: Correlation;
  /** The same against the change over the block itself (the checkpoint right after it). */
  agreementSame: Correlation;
  minusNmaeSame: Correlation;
  /** A run's agreement against its NABA. */
  naba: Omit<Correlation, 'gap'>;
}
export interface CouplingReport {
  rows: CouplingRow[];
  blocks: number;
}

export interface TransferTable {
  games: string[];
  cells: TransferCell[];
}
export interface TransferCell {
  trainedOn: string;
  evaluatedOn: string;
  /** Strict score with the adapter minus frozen, paired by instance. */
  delta: Estimate;
  normalised: number | null;
}

export type Link = 'judge' | 'guidance' | 'experience';
export interface Bottleneck {
  /** Each link's oracle variant minus its own arm, at the last checkpoint. */
  links: { link: Link; arm: ArmName; against: ArmName; delta: Estimate }[];
  /** The link that recovers most; null where no interval is above 0. */
  link: Link | null;
  sentence: string;
}

export interface LedgerRow {
  game: string;
  arm: ArmName;
  role: 'explore' | 'strict' | 'development' | 'consolidate' | 'update';
  calls: number;
  /** Tokens of all prompts, and those not already in the step before (what a cache leaves to compute). */
  tokensIn: number;
  tokensFresh: number;
  tokensOut: number;
  episodes: number;
  optimizerSteps: number;
  trainedTokens: number;
}
