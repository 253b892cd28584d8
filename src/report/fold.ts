// Run logs in, one report out. Pure: the same events and context give the same bytes, whatever the order of the logs.
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { bottleneck } from './bottleneck.ts';
import { compareArms } from './arms.ts';
import { type GameFacts, factsOf, type ReportContext, type Setup } from './context.ts';
import { coupling } from './coupling.ts';
import { replicatesOf } from './curves.ts';
import { LEVEL } from './interval.ts';
import { judge } from './judging.ts';
import { ledgerRows } from './ledger.ts';
import { mergeLogs } from './merge.ts';
import { overlapOf } from './overlap.ts';
import { DRAWS, EXACT_UP_TO, LEAST_CLUSTERS, SEED } from './permutation.ts';
import { splitReport } from './split.ts';
import { Table } from './table.ts';
import { tidy } from './tidy.ts';
import { transfer } from './transfer.ts';
import type { GameReport, JudgingRow, Method, Report } from './types.ts';
import { standingOf } from './verdict.ts';

export const METHOD: Method = {
  level: LEVEL,
  interval:
    'paired t over instances within one or two runs (jackknife over clusters where they repeat), over run means from three runs on',
  permutation: {
    statement: 'two-sided paired sign-flip; exact up to 2^m patterns, else drawn',
    draws: DRAWS,
    exactUpTo: EXACT_UP_TO,
    seed: SEED,
    leastClusters: LEAST_CLUSTERS,
  },
  pairing: 'by instance and decode replicate: replicate r of an arm against replicate r of the other',
};

/** The report of one log. Errors: log/no-opening, log/duplicate-checkpoint. */
export const fold = (events: readonly RunEvent[], context: ReportContext): Report => foldLogs([events], context);

/** The report of several logs together. Errors: as above, log/mixed, log/duplicate-checkpoint. */
export function foldLogs(logs: readonly (readonly RunEvent[])[], context: ReportContext): Report {
  const { main, carried, notes } = mergeLogs(logs);
  const table = new Table(main);
  const events = main.map((log) => log.events);
  const setup = (game: string): Setup => ({
    preset: table.preset,
    split: 'strict',
    options: table.options.get(game) ?? {},
  });
  const facts = (game: string): GameFacts => factsOf(context, game, setup(game));
  const order = (game: string) => facts(game).order;
  const names = table.games().sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  const games = names.map((game): GameReport => {
    const { title, unit, rolesExempt } = facts(game);
    const splits = table.splits(game).map((split) => splitReport(table, game, { ...setup(game), split }, context));
    const strict = splits.find((split) => split.split === 'strict');
    return {
      game,
      title,
      scoreUnit: unit,
      preset: table.preset,
      splits,
      overlap: overlapOf(events, game, rolesExempt),
      bottleneck: strict ? bottleneck(strict.comparisons, unit) : null,
    };
  });
  const places = names.map((game) => ({
    bounds: facts(game).stepRewardBounds?.explore ?? null,
    place: {
      table,
      game,
      split: 'strict' as const,
      replicates: replicatesOf(table, game, 'strict'),
      baselines: null,
      scoreStep: facts(game).scoreStep,
      grammar: null,
    },
  }));
  const runSeeds = [...new Set(names.flatMap((game) => table.seeds(game)))].sort((a, b) => a - b);
  return tidy<Report>({
    format: 1,
    runSeeds,
    standing: standingOf(runSeeds.length),
    logs: logs.length,
    complete: main.every((log) => isComplete(table, log.opened)),
    preset: table.preset,
    model: main[0]!.opened.hashes.model,
    method: METHOD,
    games,
    judging: names.flatMap((game) => judgingOf(events.flat(), game, facts(game))),
    coupling: coupling(places),
    transfer: transfer(main, carried, context, order),
    ledger: ledgerRows(events),
    notes,
  });
}

/** Every arm of the first line has its last checkpoint, in each game and run seed. */
function isComplete(table: Table, { hashes, arms, seeds, config }: Table['logs'][number]['opened']): boolean {
  const explore = Number(config.explore ?? 0);
  return Object.keys(hashes.games).every((game) =>
    seeds.every((runSeed) =>
      arms.every(({ name: arm }) => {
        const x = table.roster.isConstant(arm) ? 0 : explore;
        return table.splits(game).length > 0 && table.cell({ game, split: 'strict', arm, runSeed, x }) !== null;
      }),
    ),
  );
}

/** Rows by arm, phase and source; a judge's scores stand beside the arm's own where it was given any. */
function judgingOf(events: readonly RunEvent[], game: string, { stepRewardBounds }: GameFacts): JudgingRow[] {
  const episodes = new Map<string, EpisodeEvent[]>();
  for (const event of events) {
    if (event.type !== 'episode' || event.game !== game || event.role === 'development') continue;
    const key = `${event.pathway} ${event.phase}`;
    const list = episodes.get(key);
    if (list) list.push(event);
    else episodes.set(key, [event]);
  }
  const rows = [...episodes.values()].flatMap((list): JudgingRow[] => {
    const { pathway: arm, phase } = list[0]!;
    const row = (source: 'self' | 'judge'): JudgingRow => {
      const steps = list.flatMap((episode) =>
        episode.steps.map((step) => ({
          s: source === 'self' ? step.selfScore : step.judgeScore,
          r: step.reward,
          episode: `${episode.runSeed} ${episode.checkpoint} ${episode.index} ${episode.replicate}`,
        })),
      );
      return { game, arm, phase, source, ...judge(steps, stepRewardBounds?.[phase] ?? null) };
    };
    const judged = list.some((episode) => episode.steps.some((step) => step.judgeScore !== null));
    return judged ? [row('self'), row('judge')] : [row('self')];
  });
  const phases = ['explore', 'strict'];
  return rows.sort((a, b) => compareArms(a.arm, b.arm) || phases.indexOf(a.phase) - phases.indexOf(b.phase));
}
