// Which logs may stand in one report: the same model, prompts, rules and settings, but for seeds, games, arms and
// oracles. Knows what a log's first line says, nothing of scores.
import { CodedError } from '../errors.ts';
import { timeless } from '../log/chain.ts';
import type { RunEvent, RunOpened } from '../log/events.ts';
import type { Log } from './table.ts';

/** Settings that may differ between logs of one report: they say what was run, not how. */
const FREE = new Set(['seeds', 'games', 'pathways', 'split', 'judge', 'guidance', 'experience']);
/** An adapter carried to another game need not explore there. */
const FREE_FROM_ADAPTER = new Set([...FREE, 'explore', 'every', 'frozenReplicates']);

/** A log's first line beside its events. Errors: log/no-opening. */
export function openLog(events: readonly RunEvent[]): Log {
  const opened = events.find((event): event is RunOpened => event.type === 'run.opened');
  if (!opened) {
    throw new CodedError('log/no-opening', 'the log has no run.opened line', 'choose a LOG.jsonl that a run wrote');
  }
  const { from } = opened;
  const adapter = from !== null && typeof from === 'object' && !Array.isArray(from) ? from?.adapter : undefined;
  return { opened, events, fromAdapter: typeof adapter === 'string' ? adapter : null };
}

/**
 * Logs in one order, whatever the order given; those started from an adapter apart, unless there are no others.
 * Errors: log/mixed, naming the first thing that differs.
 */
export function mergeLogs(logs: readonly (readonly RunEvent[])[]): { main: Log[]; carried: Log[]; notes: string[] } {
  const opened = logs.map(openLog).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const own = opened.filter((log) => log.fromAdapter === null);
  const main = own.length > 0 ? own : opened;
  const carried = opened.filter((log) => log.fromAdapter !== null);
  const reference = main[0]!;
  for (const log of main) {
    requireSame(reference, log, FREE);
    if (log.fromAdapter !== reference.fromAdapter) throw mixed('from', reference.fromAdapter, log.fromAdapter);
  }
  for (const log of carried) requireSame(reference, log, FREE_FROM_ADAPTER);
  const versions = new Set(opened.map((log) => log.opened.hashes.code));
  const notes = versions.size > 1 ? [`The logs were written by ${versions.size} versions of the program.`] : [];
  if (logs.some(([first]) => first?.type === 'run.opened' && first.config.heldOut === 'development')) {
    notes.push('Measured on development instances, for choosing settings: not a held-out result.');
  }
  return { main, carried, notes };
}

const keyOf = (log: Log) => timeless([log.opened.seeds, log.opened.config, log.opened.hashes, log.fromAdapter]);

function requireSame(a: Log, b: Log, free: ReadonlySet<string>) {
  const { config, hashes } = a.opened;
  const other = b.opened;
  for (const key of [...new Set([...Object.keys(config), ...Object.keys(other.config)])].sort()) {
    if (!free.has(key) && timeless(config[key] ?? null) !== timeless(other.config[key] ?? null)) {
      throw mixed(`setting ${key}`, config[key], other.config[key]);
    }
  }
  if (hashes.model !== other.hashes.model) throw mixed('model', hashes.model, other.hashes.model);
  if (hashes.tokenizer !== other.hashes.tokenizer) throw mixed('tokenizer', hashes.tokenizer, other.hashes.tokenizer);
  for (const part of ['prompts', 'games'] as const) {
    for (const [name, hash] of Object.entries(hashes[part])) {
      const theirs = other.hashes[part][name];
      if (theirs !== undefined && theirs !== hash) throw mixed(`${part} ${name}`, hash, theirs);
    }
  }
}

function mixed(what: string, a: unknown, b: unknown) {
  const short = (value: unknown) => (JSON.stringify(value) ?? 'absent').slice(0, 40);
  return new CodedError(
    'log/mixed',
    `the logs differ in ${what}: ${short(a)} and ${short(b)}`,
    'one report takes logs of one configuration; seeds, games, arms and oracles may differ',
  );
}
