// The context of this build: its games' published facts, and the baselines measured for them, where there are any.
import { type Baselines as BaselineFile, findBaseline } from '../../games/baselines.ts';
import { findGame } from '../../games/registry.ts';
import type { JsonValue, RunEvent } from '../log/events.ts';
import { registryFacts, type ReportContext } from './context.ts';
import { fold, foldLogs } from './fold.ts';
import { ledgerOf } from './ledger.ts';
import type { Report } from './types.ts';

// By glob, so that a build without measured baselines is no error.
const files = import.meta.glob<BaselineFile>('../../games/baselines.json', { eager: true, import: 'default' });
const measured: BaselineFile = Object.values(files)[0] ?? {};

export const buildContext: ReportContext = {
  facts: registryFacts,
  baselines(id, setup) {
    const game = findGame(id);
    const found = game ? findBaseline(measured, game, { ...setup, phase: 'strict' }) : null;
    if (!found) return null;
    const { random, randomSe, expert, expertSe, n, nothing } = found;
    return { random, randomSe, expert, expertSe, n, ...(nothing === undefined ? {} : { nothing }) };
  },
};

/** The report of one log with the facts of this build. Errors: those of `fold`. */
export const reportOf = (events: readonly RunEvent[]): Report => fold(events, buildContext);

/** The report of several logs. Errors: those of `foldLogs`. */
export const reportOfLogs = (logs: readonly (readonly RunEvent[])[]): Report => foldLogs(logs, buildContext);

/** What `run.closed` says of the events before it; the ledger's `wallMs` stays out of the chain. */
export function closingReport(events: readonly RunEvent[]): { report: JsonValue; ledger: JsonValue } {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonValue;
  return { report: plain(reportOf(events)), ledger: plain(ledgerOf([events])) };
}
