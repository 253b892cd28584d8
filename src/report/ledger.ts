// What a run cost, by game, arm and role: calls, tokens, episodes, optimiser steps. The report's rows carry no times;
// `ledgerOf` adds wall time in a field named `wallMs`, which stays out of every hash.
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { compareArms } from './arms.ts';
import type { LedgerRow } from './types.ts';

export type TimedRow = LedgerRow & { wallMs: number };

/** Rows sorted by game, arm, role. Unit of `wallMs`: milliseconds spent playing, consolidating or training. */
export function ledgerOf(logs: readonly (readonly RunEvent[])[]): TimedRow[] {
  const rows = new Map<string, TimedRow>();
  const row = (game: string, arm: string, role: LedgerRow['role']): TimedRow => {
    const key = `${game} ${arm} ${role}`;
    const found = rows.get(key) ?? { game, arm, role, ...zero };
    rows.set(key, found);
    return found;
  };
  for (const event of logs.flat()) {
    if (event.type === 'episode') addEpisode(row(event.game, event.pathway, roleOf(event)), event);
    else if (event.type === 'consolidation') {
      const to = row(event.game, event.pathway, 'consolidate');
      if (event.completionTokens) addCall(to, event.promptTokens?.length ?? 0, event.completionTokens.length);
      for (const fix of event.corrected) addCall(to, fix.promptLength, fix.completionTokens.length);
    } else if (event.type === 'adapter.saved') {
      const to = row(event.game, event.pathway, 'update');
      to.optimizerSteps += event.loss.length;
      to.trainedTokens += event.tokens;
      to.wallMs += event.trainMs ?? 0;
    }
  }
  return [...rows.values()].sort(
    (a, b) => compare(a.game, b.game) || compareArms(a.arm, b.arm) || ROLES.indexOf(a.role) - ROLES.indexOf(b.role),
  );
}

/** The same without times. */
export function ledgerRows(logs: readonly (readonly RunEvent[])[]): LedgerRow[] {
  return ledgerOf(logs).map((timed) => {
    const row: LedgerRow & { wallMs?: number } = { ...timed };
    delete row.wallMs;
    return row;
  });
}

const ROLES: readonly LedgerRow['role'][] = ['explore', 'consolidate', 'update', 'development', 'strict'];
const zero = {
  calls: 0,
  tokensIn: 0,
  tokensFresh: 0,
  tokensOut: 0,
  episodes: 0,
  optimizerSteps: 0,
  trainedTokens: 0,
  wallMs: 0,
};

const roleOf = (event: EpisodeEvent): LedgerRow['role'] =>
  event.phase === 'explore' ? 'explore' : event.role === 'development' ? 'development' : 'strict';

function addEpisode(to: TimedRow, event: EpisodeEvent) {
  to.episodes += 1;
  to.wallMs += event.playMs ?? 0;
  for (const { promptTokens, completionTokens, judge } of event.steps) {
    addCall(to, promptTokens.keep + promptTokens.ids.length, completionTokens.length, promptTokens.ids.length);
    if (judge) addCall(to, judge.promptLength, judge.completionTokens.length);
  }
}

function addCall(to: TimedRow, tokensIn: number, tokensOut: number, fresh = tokensIn) {
  to.calls += 1;
  to.tokensIn += tokensIn;
  to.tokensFresh += fresh;
  to.tokensOut += tokensOut;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
