// What a run says while it works, beside its log: nothing here is stored or needed to replay.
import type { Phase } from '../../games/contract.ts';

export type Stage = 'explore' | 'judge' | 'consolidate' | 'update' | 'evaluate';

export type Live =
  | {
      kind: 'stage';
      stage: Stage;
      pathway: string;
      game: string;
      runSeed: number;
      /** Episodes explored by this arm so far. */
      x: number;
      /** What is happening, for people. */
      sentence: string;
    }
  | {
      kind: 'step';
      pathway: string;
      game: string;
      phase: Phase;
      /** Episode's number in its arm and phase. */
      index: number;
      step: number;
      stepCap: number;
      /** What the agent read as the state. */
      observation: string;
      /** The drawn view of the same state, for the board. */
      board: string;
      prompt: string;
      completion: string;
      action: string | null;
      selfScore: number | null;
      feedback: string;
      valid: boolean;
      /** The drawn view after the action. */
      nextBoard: string;
      over: boolean;
      /** Verifier's rewards of the episode's steps; only once it is over. */
      rewards: number[] | null;
      score: number | null;
    }
  | { kind: 'train'; pathway: string; game: string; step: number; steps: number; loss: number }
  | {
      kind: 'progress';
      /** Episodes played (or skipped) and all that the run will play. */
      done: number;
      total: number;
      elapsedMs: number;
      leftMs: number | null;
    };
