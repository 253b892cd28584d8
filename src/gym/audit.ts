// A log played again: the run's own code from its first line to its last, with the log's answers in the place of the
// model. Whoever audits sees each line beside the code that would have made it. Decides nothing itself.
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import type { LanguageModel } from '../models/types.ts';
import type { Budget } from './budget.ts';
import { runConfig } from './config.ts';
import { cycle } from './cycle.ts';
import { localGameHost } from './host.ts';
import { Journal } from './journal.ts';
import type { EpisodePlan, PlayHooks, PlayRules } from './play.ts';
import type { Made } from './plugin.ts';
import type { StartFrom } from './startFrom.ts';

export interface Audit {
  /** A line beside its making; the run goes on from the line. */
  made(logged: RunEvent, make: () => Promise<Made>): Promise<void>;
  /** An episode beside the plan that the run had for it. */
  episode(logged: EpisodeEvent, plan: EpisodePlan, hooks: PlayHooks, rules: PlayRules): Promise<void>;
  /** The log holds another line than the run would write; nothing after it can be played again. */
  strayed(logged: RunEvent, wanted: string): void;
}

export interface AuditInput {
  /** Answers what the log says (recorded.ts). */
  model: LanguageModel;
  judge: LanguageModel;
  /** Absent: by counting the model's tokens. */
  budget?: Budget;
  readBlob(hash: string): Promise<Uint8Array | null>;
  /** What the run started from (startFrom.ts). */
  from: StartFrom | null;
}

/** Errors: settings/…, game/unknown, plugin/…, log/missing-blob where `readBlob` has none, and what the audit throws. */
export async function playAgain(
  events: readonly RunEvent[],
  { model, judge, budget, readBlob, from }: AuditInput,
  audit: Audit,
): Promise<void> {
  const [opened] = events;
  if (opened?.type !== 'run.opened') return;
  const journal = new AuditedJournal(events, audit);
  const again = cycle({
    model,
    judge,
    readBlob,
    config: runConfig(opened.config),
    host: localGameHost(),
    past: events,
    from,
    report: () => ({ report: null, ledger: null }),
    audited: { audit, journal, ...(budget ? { budget } : {}) },
  });
  try {
    while (!(await again.next()).done);
    const more = journal.next;
    if (more) audit.strayed(more, 'nothing more');
  } catch (error) {
    if (!(error instanceof EndOfLog)) throw error;
  }
}

/** The run that the log tells of went no further. */
class EndOfLog extends Error {}

/** Gives the log's lines in their order, whatever they claim; at its end the run ends. */
class AuditedJournal extends Journal {
  private readonly audit: Audit;

  constructor(events: readonly RunEvent[], audit: Audit) {
    super(events);
    this.audit = audit;
  }

  override get exhausted(): boolean {
    return false;
  }

  override take<T extends RunEvent['type']>(type: T): Extract<RunEvent, { type: T }> {
    const { next } = this;
    // A run may be stopped, and its log closed, anywhere.
    if (!next || (next.type === 'run.closed' && next.reason === 'stopped')) throw new EndOfLog();
    if (next.type === type) return super.take(type)!;
    this.audit.strayed(next, type);
    throw new EndOfLog();
  }
}
