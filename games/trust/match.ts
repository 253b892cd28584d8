// The state of a match and what it is worth: the rounds played and lost, payoffs, the best response in hindsight.
import type { Opponent, TrustConfig } from './config.ts';
import { opponentMove, replies, type Move } from './opponents.ts';

// A type, not an interface: instances are Json.
export type TrustInstance = {
  opponent: Opponent;
  /** The random opponent's moves; '' for the others, so that each of those is one instance. */
  moves: string;
};

export interface TrustState {
  readonly hidden: TrustInstance;
  /** A round each: the agent's move and the other's, or `--` for a round lost to an invalid answer. */
  readonly log: readonly string[];
  /** Rounds that will never be played, because the episode stopped. */
  readonly unplayed: number;
}

/** The moves of the rounds that the opponent has seen. */
export function seen(log: readonly string[]): { you: string; they: string } {
  const played = log.filter((round) => round !== '--');
  return { you: played.map((round) => round[0]).join(''), they: played.map((round) => round[1]).join('') };
}

export function payoff(config: TrustConfig, you: string, they: string): number {
  const { both, exploited, cheat, none } = config.payoff;
  if (you === 'C') return they === 'C' ? both : exploited;
  return they === 'C' ? cheat : none;
}

export const roundPayoff = (config: TrustConfig, round: string): number =>
  round === '--' ? config.lostRound : payoff(config, round[0]!, round[1]!);

export const total = (config: TrustConfig, state: TrustState): number =>
  state.log.reduce((sum, round) => sum + roundPayoff(config, round), config.lostRound * state.unplayed);

export function play(config: TrustConfig, state: TrustState, move: Move): TrustState {
  const { you, they } = seen(state.log);
  const { opponent, moves } = state.hidden;
  if (state.log.length >= config.rounds) return state;
  return { ...state, log: [...state.log, move + opponentMove(opponent, you, they, moves)] };
}

const bestResponses = new Map<string, { points: number; sequence: string }>();

/** The most that any fixed sequence of moves earns against this opponent: all 2^rounds are tried once. */
export function bestResponse(config: TrustConfig, hidden: TrustInstance): { points: number; sequence: string } {
  const key = JSON.stringify([hidden.opponent, hidden.moves, config.rounds, config.payoff]);
  let best = bestResponses.get(key);
  if (best) return best;
  best = { points: -Infinity, sequence: '' };
  if (hidden.opponent === 'random') {
    // Its moves do not depend on ours, and cheating pays more in every round.
    const sequence = 'D'.repeat(config.rounds);
    best = { points: sequencePoints(config, hidden, sequence), sequence };
  } else {
    for (let bits = 0; bits < 2 ** config.rounds; bits++) {
      const sequence = Array.from({ length: config.rounds }, (_, i) => ((bits >> i) & 1 ? 'D' : 'C')).join('');
      const points = sequencePoints(config, hidden, sequence);
      if (points > best.points) best = { points, sequence };
    }
    bestResponses.set(key, best);
  }
  return best;
}

export function sequencePoints(config: TrustConfig, hidden: TrustInstance, sequence: string): number {
  const they = replies(hidden.opponent, sequence, hidden.moves);
  return [...sequence].reduce((sum, move, i) => sum + payoff(config, move, they[i]!), 0);
}
