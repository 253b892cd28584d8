// Exact Bayes-optimal play against the published prior: dynamic programming over what the rounds so far leave possible.
// Sees the log and the prior, never the opponent.
import { OPPONENTS, type Opponent, type TrustConfig } from './config.ts';
import { payoff, seen, type TrustState } from './match.ts';
import { opponentMove, type Move } from './opponents.ts';

export interface Plan {
  /** Expected points from here on under the best play. */
  value: number;
  move: Move;
}

type Belief = { opponent: Opponent; weight: number }[];

/** The opponents that agree with the rounds seen, with their unnormalised posterior weights. */
export function posterior(config: TrustConfig, you: string, they: string): Belief {
  const belief: Belief = [];
  for (const opponent of OPPONENTS) {
    let weight = config.prior[opponent] ?? 0;
    for (let round = 0; round < you.length && weight > 0; round++) {
      weight *= chance(opponent, you.slice(0, round), they.slice(0, round), they[round] as Move);
    }
    if (weight > 0) belief.push({ opponent, weight });
  }
  return belief;
}

function chance(opponent: Opponent, you: string, they: string, move: Move): number {
  if (opponent === 'random') return 0.5;
  return opponentMove(opponent, you, they, '') === move ? 1 : 0;
}

const tables = new WeakMap<TrustConfig['prior'], Map<string, Plan>>();

/** The best move with `left` rounds to go. Ties go to collaborating. */
export function plan(config: TrustConfig, you: string, they: string, left: number): Plan {
  let table = tables.get(config.prior);
  if (!table) tables.set(config.prior, (table = new Map()));
  return best(config, table, you, they, left, posterior(config, you, they));
}

function best(
  config: TrustConfig,
  table: Map<string, Plan>,
  you: string,
  they: string,
  left: number,
  belief: Belief,
): Plan {
  if (left <= 0 || belief.length === 0) return { value: 0, move: 'C' };
  // Given who is possible, their past moves follow from ours; only the random opponent's weight depends on the count.
  const key = `${left} ${you} ${belief.map(({ opponent }) => opponent).join()}`;
  const known = table.get(key);
  if (known) return known;
  const weight = belief.reduce((sum, entry) => sum + entry.weight, 0);
  const [collaborate, cheat] = (['C', 'D'] as const).map((move) => {
    let value = 0;
    for (const reply of ['C', 'D'] as const) {
      const next = belief.flatMap((entry) => {
        const share = entry.weight * chance(entry.opponent, you, they, reply);
        return share > 0 ? [{ opponent: entry.opponent, weight: share }] : [];
      });
      const share = next.reduce((sum, entry) => sum + entry.weight, 0) / weight;
      if (share === 0) continue;
      const later = best(config, table, you + move, they + reply, left - 1, next);
      value += share * (payoff(config, move, reply) + later.value);
    }
    return value;
  });
  const result: Plan = cheat! > collaborate! + 1e-9 ? { value: cheat!, move: 'D' } : { value: collaborate!, move: 'C' };
  table.set(key, result);
  return result;
}

export function expertMove(config: TrustConfig, state: TrustState): Move {
  const { you, they } = seen(state.log);
  return plan(config, you, they, config.rounds - state.log.length).move;
}
