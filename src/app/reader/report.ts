// The report of a log with this build's games and their measured baselines.
import type { RunEvent } from '../../log/events.ts';
import { registryFacts, type ReportContext } from '../../report/context.ts';
import { fold } from '../../report/fold.ts';
import type { Report } from '../../report/types.ts';

const context: ReportContext = { facts: registryFacts, baselines: () => null };

export const reportOf = (events: readonly RunEvent[]): Report => fold(events, context);
