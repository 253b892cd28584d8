// How each opponent plays, as a function of the rounds that it has seen. Knows no payoffs.
import type { Opponent } from './config.ts';

/** C collaborates, D cheats. */
export type Move = 'C' | 'D';

/**
 * The opponent's move after `you` (the agent's moves so far) and `they` (its own), one letter a round.
 * `resolved` is the random opponent's schedule, drawn with the instance.
 */
export function opponentMove(opponent: Opponent, you: string, they: string, resolved: string): Move {
  const last = you.at(-1) === 'D' ? 'D' : 'C';
  switch (opponent) {
    case 'cooperator':
      return 'C';
    case 'cheater':
      return 'D';
    case 'copycat':
      return last;
    case 'grudger':
      return you.includes('D') ? 'D' : 'C';
    case 'copykitten':
      return you.endsWith('DD') ? 'D' : 'C';
    case 'detective':
      if (you.length < PROBE.length) return PROBE[you.length] as Move;
      return you.slice(0, PROBE.length).includes('D') ? last : 'D';
    case 'simpleton':
      if (they === '') return 'C';
      return (they.at(-1) === 'C') === (last === 'C') ? 'C' : 'D'; // keeps its move after C, switches after D
    case 'random':
      return resolved[you.length] === 'D' ? 'D' : 'C';
    default:
      return opponent satisfies never;
  }
}

const PROBE = 'CDCC';

/** What the opponent plays against a whole sequence of the agent's moves. */
export function replies(opponent: Opponent, you: string, resolved: string): string {
  let they = '';
  for (let round = 0; round < you.length; round++) they += opponentMove(opponent, you.slice(0, round), they, resolved);
  return they;
}
