// Ten ways to play Trust, from cheating always to the expert, each with its advice in the words an agent would use.
import type { Rng } from '../contract.ts';
import type { TrustConfig } from './config.ts';
import { expertMove } from './expert.ts';
import { seen, type TrustState } from './match.ts';
import type { Move } from './opponents.ts';
import { WORDS } from './views.ts';

type Strategy = (config: TrustConfig, state: TrustState, rng: Rng) => string;
type Past = { you: string; they: string };
type Rule = (past: Past, round: number, config: TrustConfig) => Move;

const by =
  (rule: Rule): Strategy =>
  (config, state) =>
    WORDS[rule(seen(state.log), state.log.length + 1, config)];

const copy = ({ they }: Past): Move => (they.endsWith('D') ? 'D' : 'C');

export const random: Strategy = (_, __, rng) => WORDS[rng.pick(['C', 'D'] as const)];
export const expert: Strategy = (config, state) => WORDS[expertMove(config, state)];

export const strategies: Readonly<Record<string, Strategy>> = {
  random,
  alwaysCollaborate: by(() => 'C'),
  alwaysCheat: by(() => 'D'),
  copy: by(copy),
  copyCheatLast: by((past, round, { rounds }) => (round >= rounds ? 'D' : copy(past))),
  grudge: by(({ they }) => (they.includes('D') ? 'D' : 'C')),
  forgive: by(({ they }) => (they.endsWith('DD') ? 'D' : 'C')),
  alternate: by((_, round) => (round % 2 ? 'C' : 'D')),
  // Cheats first: goes on cheating if nothing comes back, else makes peace and copies.
  probe: by((past, round) => {
    if (round === 1) return 'D';
    if (round === 2) return 'C';
    return past.they[1] === 'D' ? copy(past) : 'D';
  }),
  expertHalf: (config, state, rng) => (rng.next() < 0.5 ? expert : random)(config, state, rng),
  expert,
};

export const tips: Readonly<Record<keyof typeof strategies, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  alwaysCollaborate: 'retain: collaborate every round avoid: cheat next: collaborate to the end',
  alwaysCheat: 'retain: cheat every round avoid: collaborate next: cheat to the end',
  copy: 'retain: copy the last move of the other avoid: cheat first next: copy to the end',
  copyCheatLast: 'retain: copy the last move of the other avoid: cheat first next: cheat in the last round',
  grudge: 'retain: collaborate until the other cheats avoid: collaborate after that next: cheat to the end',
  forgive: 'retain: collaborate after one cheat avoid: collaborate after two cheats next: cheat only then',
  alternate: 'retain: collaborate then cheat avoid: the same move again next: change every round',
  probe: 'retain: cheat first avoid: cheat if the other answers next: copy the other or cheat to the end',
  expertHalf: 'retain: find the way of the other avoid: nothing next: often choose any move',
  expert: 'retain: find the way of the other avoid: collaborate with a cheater next: cheat in the last round',
};
