// Trust's two views. The board shows the rounds so far with their payoffs; the line is read off the board's text.
import type { TrustConfig } from './config.ts';
import { roundPayoff, total, type TrustState } from './match.ts';

export const WORDS = { C: 'collaborate', D: 'cheat', '-': 'none' } as const;
const word = (move: string) => WORDS[move as keyof typeof WORDS];

export function board(config: TrustConfig, state: TrustState): string {
  const { rounds } = config;
  const { both, exploited, cheat, none } = config.payoff;
  const over = state.unplayed > 0 || state.log.length >= rounds;
  const lines = [over ? `Round over of ${rounds}` : `Round ${state.log.length + 1} of ${rounds}`];
  for (const [i, round] of state.log.entries()) {
    lines.push(`${i + 1}: you ${word(round[0]!)}, other ${word(round[1]!)}, points ${roundPayoff(config, round)}`);
  }
  if (state.unplayed > 0) lines.push(`Not played: ${state.unplayed}, points ${config.lostRound * state.unplayed}`);
  lines.push(`Total ${total(config, state)}`);
  lines.push(
    `Points to you: both collaborate ${both}, only you cheat ${cheat}, only other cheats ${exploited}, both cheat ${none}`,
  );
  return lines.join('\n');
}

/** `round 4 you cheat other collaborate total 7`, from the board's text alone. */
export function line(_: TrustConfig, text: string): string {
  const round = /^Round (\w+)/.exec(text)?.[1] ?? '';
  const last = [...text.matchAll(/^\d+: you (\w+), other (\w+)/gm)].at(-1);
  const points = /^Total (-?\d+)/m.exec(text)?.[1] ?? '';
  return `round ${round} you ${last?.[1] ?? 'none'} other ${last?.[2] ?? 'none'} total ${points}`;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
export const legend = { board: `RTNP0123456789:, -\n${LETTERS}`, line: `0123456789 -${LETTERS}` };
