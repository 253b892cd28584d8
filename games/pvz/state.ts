// The state of an episode: the visible field and the hidden list of what is to come; and one step of it.
import type { Outcome } from '../contract.ts';
import { parse, refusal, write } from './action.ts';
import type { PvzConfig } from './config.ts';
import { arriving, type Spawn } from './spawn.ts';
import { placed, playTurn, type Field } from './turn.ts';

export type PvzState = { field: Field; spawns: Spawn[] };

export function step(config: PvzConfig, state: PvzState, action: string): Outcome<PvzState> {
  const placements = parse(action);
  if (!placements) return { valid: false, reason: 'not of the form X row col; W row col' };
  let field = state.field;
  const skipped: string[] = [];
  for (const placement of placements) {
    const reason = refusal(config, field, placement);
    if (!reason) field = placed(config, field, placement.kind, placement.row, placement.col);
    else if (config.phase === 'strict') return { valid: false, reason: `${write([placement])} ${reason}` };
    else skipped.push(`${write([placement])} ${reason}`);
  }
  field = playTurn(config, field, arriving(config, state.spawns, field.turn));
  const lost = field.lost === null ? [] : [`a zombie left the board in row ${field.lost}`];
  return {
    valid: true,
    state: { ...state, field },
    feedback: [...skippedLine(skipped), ...lost].join('; '),
    terminated: field.lost !== null,
  };
}

const skippedLine = (skipped: readonly string[]) => {
  if (skipped.length === 0) return [];
  const more = skipped.length > 3 ? ` and ${skipped.length - 3} more` : '';
  return [`skipped ${skipped.slice(0, 3).join(', ')}${more}`];
};
