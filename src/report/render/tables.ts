// A report as tables: one source for text, CSV, Markdown and HTML. Verdicts, scores and differences here, the rest in
// tables-more.ts.
import { linksOf } from '../arms.ts';
import { decimalsFor, formatP } from '../format.ts';
import type { ArmReport, Comparison, ComparisonPoint, GameReport, Report, SplitReport } from '../types.ts';
import {
  armText,
  sentenceText,
  type Cell,
  columns,
  count,
  intervalCells,
  number,
  share,
  signed,
  type Table,
  word,
} from './cells.ts';
import { couplingTable, judgingTables, ledgerTable, overlapTable, transferTable } from './tables-more.ts';

/** Too long to be read at a terminal or in a document. */
export const LONG: ReadonlySet<string> = new Set(['curves', 'differences-by-checkpoint']);

/** All tables that have rows, in reading order; `more`: those of plug-ins. */
export function tablesOf(report: Report, more: readonly Table[] = []): Table[] {
  const tables = [
    verdictTable(report),
    ...bottleneckTable(report),
    armTable(report),
    comparisonTable(report, 'last'),
    ...judgingTables(report),
    couplingTable(report),
    ...transferTable(report),
    overlapTable(report),
    ledgerTable(report),
    ...more,
    curveTable(report),
    comparisonTable(report, 'all'),
  ];
  return tables.filter((table) => table.rows.length > 0);
}

const places = (report: Report) => report.games.flatMap((game) => game.splits.map((split) => ({ game, split })));

function verdictTable(report: Report): Table {
  const rows = places(report).flatMap(({ game, split }) =>
    split.comparisons
      .filter((c) => c.role !== 'replicate')
      .map((c) => [
        word(game.title),
        word(split.split),
        word(c.role === 'oracle' && linksOf(c.arm).length === 0 ? 'variant' : c.role),
        word(c.verdict.kind),
        word(sentenceText(split, c.verdict.sentence, [c.arm, c.against])),
      ]),
  );
  const seeds = `${report.runSeeds.length} run seed${report.runSeeds.length === 1 ? '' : 's'}`;
  const standing =
    report.standing === 'claim' ? `A claim: ${seeds}.` : `A demonstration: ${seeds}; six or more would make a claim.`;
  const partial = report.complete ? [] : ['The run is not complete: later checkpoints are missing.'];
  return {
    id: 'verdicts',
    title: 'Did it help?',
    notes: [standing, ...partial, ...report.notes],
    columns: columns('game:Game', 'split:Split', 'role:Compared with', 'verdict:Verdict', 'sentence:In words'),
    rows,
  };
}

function bottleneckTable(report: Report): Table[] {
  return report.games.flatMap(({ game, title, bottleneck, splits }) => {
    const [split] = splits;
    if (!bottleneck || !split) return [];
    const arms = bottleneck.links.map(({ arm }) => arm);
    return {
      id: `bottleneck-${game}`,
      title: `${title}: which link holds it back`,
      notes: [sentenceText(split, bottleneck.sentence, arms)],
      columns: columns('link:Link made true', 'arm:Arm', 'delta:Difference', 'lo:95 % from', 'hi:95 % to'),
      rows: bottleneck.links.map(({ link, arm, delta }) => [
        word(link),
        word(armText(split, arm)),
        ...intervalCells(delta),
      ]),
    };
  });
}

function armTable(report: Report): Table {
  return {
    id: 'arms',
    title: 'Held-out scores',
    notes: [
      'AUC+ is score times episodes above the start; NABA divides it by the start and is unstable near 0: no claim rests on it.',
      'Normalised: 0 is random play, 1 the expert.',
    ],
    columns: columns(
      'game:Game',
      'split:Split',
      'arm:Arm',
      'first:First',
      'last:Last',
      'change:Change',
      'avg:Avg',
      'max:Max',
      'auc_plus:AUC+',
      'naba:NABA',
      'normalised_last:Normalised',
      'success:Success',
      'well_formed:Well-formed',
      'validity:Valid steps',
      'invalid_ends:Invalid ends',
      'tokens:Tokens an episode',
      'episodes:Episodes',
    ),
    rows: places(report).flatMap(({ game, split }) => split.arms.map((arm) => armRow(game, split, arm))),
  };
}

function armRow(game: GameReport, split: SplitReport, { arm, metrics: m, points }: ArmReport): Cell[] {
  const last = points.findLast((point) => point.mean !== null);
  const decimals = decimalsFor(last && last.lo !== null && last.hi !== null ? last.hi - last.lo : (m.last ?? 0));
  return [
    word(game.title),
    word(split.split),
    word(armText(split, arm)),
    number(m.first, decimals),
    number(m.last, decimals),
    signed(m.finalChange, decimals),
    number(m.avg, decimals),
    number(m.max, decimals),
    number(m.aucPlus),
    number(m.naba),
    number(m.normalisedLast, 2),
    share(m.success),
    share(m.wellFormed),
    share(m.validity),
    share(m.invalidEnds),
    number(m.tokens, 0),
    count(m.episodes),
  ];
}

/** At the last checkpoint, which is what verdicts rest on; or at all of them. */
function comparisonTable(report: Report, which: 'last' | 'all'): Table {
  const rows = places(report).flatMap(({ game, split }) =>
    split.comparisons.flatMap((comparison) => {
      const points = which === 'all' ? comparison.points : comparison.final ? [comparison.final] : [];
      return points.map((point) => [word(game.title), word(split.split), ...differenceRow(split, comparison, point)]);
    }),
  );
  return {
    id: which === 'all' ? 'differences-by-checkpoint' : 'differences',
    title:
      which === 'all' ? 'Differences at each checkpoint' : 'Differences at the last checkpoint, paired by instance',
    notes: [
      `Interval: ${report.method.interval}.`,
      `p: ${report.method.permutation.statement}.`,
      `${rows.length} differences, without correction for their number.`,
    ],
    columns: columns(
      'game:Game',
      'split:Split',
      'arm:Arm',
      'against:Against',
      'x:Explored',
      'delta:Difference',
      'lo:95 % from',
      'hi:95 % to',
      'normalised:Normalised',
      'units:Units',
      'unit:Of',
      'p:p',
      'p_method:Method',
    ),
    rows,
  };
}

function differenceRow(split: SplitReport, comparison: Comparison, point: ComparisonPoint): Cell[] {
  const { arm, against, role, replicate } = comparison;
  return [
    word(role === 'replicate' ? `Frozen, replicate ${replicate}` : armText(split, arm)),
    word(role === 'replicate' ? 'replicate 0' : armText(split, against)),
    count(point.x),
    ...intervalCells(point),
    signed(point.normalised, 2),
    count(point.units),
    word(point.unit),
    { text: formatP(point.p?.value ?? null), value: point.p?.value ?? null },
    word(point.p ? (point.p.method === 'exact' ? 'exact' : `drawn, B = ${point.p.draws}`) : ''),
  ];
}

function curveTable(report: Report): Table {
  return {
    id: 'curves',
    title: 'Held-out score by episodes explored',
    notes: [],
    columns: columns(
      'game:Game',
      'split:Split',
      'arm:Arm',
      'x:Explored',
      'mean:Mean',
      'lo:95 % from',
      'hi:95 % to',
      'n:Boards',
      'normalised:Normalised',
      'note:Note',
    ),
    rows: places(report).flatMap(({ game, split }) =>
      split.arms.flatMap(({ arm, points }) =>
        points.map((point) => {
          const [mean, lo, hi] = intervalCells({ ...point, mean: point.mean ?? Number.NaN });
          return [
            word(game.title),
            word(split.split),
            word(armText(split, arm)),
            count(point.x),
            { text: mean!.text.replace('+', ''), value: point.mean },
            lo!,
            hi!,
            count(point.n),
            number(point.normalised, 2),
            word(point.failed !== undefined ? `failed: ${point.failed}` : point.shared ? 'shared' : ''),
          ];
        }),
      ),
    ),
  };
}
