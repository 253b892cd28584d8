// The further tables: self-judging and coupling beside the paper's figures, transfer, overlap, ledger.
import { formatCount } from '../format.ts';
import { paperCoupling, paperJudging } from '../paper.ts';
import type { JudgingRow, Report } from '../types.ts';
import { armText, columns, count, intervalCells, number, share, signed, type Cell, type Table, word } from './cells.ts';

const titleOfGame = (report: Report, id: string) => report.games.find((game) => game.game === id)?.title ?? id;

/** An arm's text with its label, looked up in its game. */
function armIn(report: Report, game: string, arm: string): string {
  const splits = report.games.find((one) => one.game === game)?.splits ?? [];
  const split = splits.find((one) => one.arms.some((a) => a.arm === arm));
  return armText(split ?? { arms: [] }, arm);
}

/** Exploration and strict steps apart, as they are other boards under other rules. */
export function judgingTables(report: Report): Table[] {
  return (['explore', 'strict'] as const).map((phase) => ({
    id: `judging-${phase}`,
    title: phase === 'explore' ? 'Its judge, while exploring' : 'Its judge, in held-out episodes',
    notes: [
      'Expected points (s) against points got (r). Agreement: s > 0 exactly where r > 0. Over: s > 0, r <= 0. Under: s <= 0, r > 0.',
      'Paper: the same figures of seven large models, arXiv 2608.31100.',
    ],
    columns: columns(
      'game:Game',
      'arm:Arm',
      'source:Score by',
      'steps:Steps',
      'unparsed:No score',
      'agreement:Agreement',
      'agreement_lo:95 % from',
      'agreement_hi:95 % to',
      'agreement_paper:Paper',
      'nmae:NMAE',
      'nmae_observed:NMAE, seen range',
      'nmae_paper:Paper',
      'over:Over',
      'over_paper:Paper',
      'under:Under',
      'under_paper:Paper',
      'positive:s > 0',
      'distinct:Distinct scores',
      'sd:sd of scores',
      'note:Note',
    ),
    rows: report.judging.filter((row) => row.phase === phase).map((row) => judgingRow(report, row)),
  }));
}

function judgingRow(report: Report, row: JudgingRow): Cell[] {
  const paper = paperJudging(row.game);
  return [
    word(titleOfGame(report, row.game)),
    word(armIn(report, row.game, row.arm)),
    word(row.source),
    count(row.n),
    count(row.unparsed),
    share(row.agreement?.mean ?? null),
    share(row.agreement?.lo ?? null),
    share(row.agreement?.hi ?? null),
    share(paper.agreement),
    number(row.nmae, 3),
    number(row.nmaeObserved, 3),
    number(paper.nmae, 3),
    share(row.over),
    share(paper.over),
    share(row.under),
    share(paper.under),
    share(row.positive),
    count(row.distinct),
    number(row.sd, 2),
    word(row.constant ? 'constant: any filter by score is vacuous' : ''),
  ];
}

export function couplingTable(report: Report): Table {
  return {
    id: 'coupling',
    title: 'Does better judging lead to more learning?',
    notes: [
      `Over ${report.coupling.blocks} blocks. Next: a block's judgement against the change over the block after it; same: over the block itself.`,
      'Gap: mean gain after the best third of blocks minus after the worst third. The paper finds no coupling.',
    ],
    columns: columns(
      'game:Game',
      'measure:Judgement',
      'gain:Gain',
      'blocks:Blocks',
      'pearson:Pearson',
      'spearman:Spearman',
      'spearman_paper:Paper',
      'gap:Gap',
      'gap_paper:Paper',
    ),
    rows: report.coupling.rows.flatMap((row) => {
      const paper = paperCoupling(row.game);
      const title = row.game === 'all' ? 'All' : titleOfGame(report, row.game);
      const line = (
        measure: string,
        gain: string,
        c: { n: number; pearson: number | null; spearman: number | null; gap?: number | null },
        paperRho: number | null = null,
        paperGap: number | null = null,
      ): Cell[] => [
        word(title),
        word(measure),
        word(gain),
        count(c.n),
        signed(c.pearson, 3),
        signed(c.spearman, 3),
        signed(paperRho, 3),
        signed(c.gap ?? null, 3),
        signed(paperGap, 3),
      ];
      return [
        line('agreement', 'next', row.agreement, paper.agreement, paper.gapAgreement),
        line('-NMAE', 'next', row.minusNmae, paper.minusNmae, paper.gapNmae),
        line('agreement', 'same', row.agreementSame),
        line('-NMAE', 'same', row.minusNmaeSame),
        line('agreement', 'NABA of the run', row.naba),
      ];
    }),
  };
}

export function transferTable({ transfer, ...report }: Report): Table[] {
  if (!transfer) return [];
  return [
    {
      id: 'transfer',
      title: 'Transfer: trained on one game, played on each',
      notes: ['Strict score with the adapter minus frozen, paired by instance.'],
      columns: columns(
        'trained_on:Trained on',
        'evaluated_on:Played on',
        'delta:Difference',
        'lo:95 % from',
        'hi:95 % to',
        'normalised:Normalised',
        'n:Boards',
      ),
      rows: transfer.cells.map(({ trainedOn, evaluatedOn, delta, normalised }) => [
        word(titleOfGame({ ...report, transfer }, trainedOn)),
        word(titleOfGame({ ...report, transfer }, evaluatedOn)),
        ...intervalCells(delta),
        signed(normalised, 2),
        count(delta.n),
      ]),
    },
  ];
}

export function overlapTable(report: Report): Table {
  return {
    id: 'overlap',
    title: 'Held-out instances that were also explored',
    notes: ['Must be 0 but where a game has too few instances for disjoint sets.'],
    columns: columns('game:Game', 'exploration:Explored', 'strict:Held out', 'shared:In both', 'exempt:Exempt'),
    rows: report.games.map(({ title, overlap }) => [
      word(title),
      count(overlap.exploration),
      count(overlap.strict),
      count(overlap.shared),
      word(overlap.exempt ? 'yes' : 'no'),
    ]),
  };
}

export function ledgerTable(report: Report): Table {
  const big = (value: number): Cell => ({ text: formatCount(value), value });
  return {
    id: 'ledger',
    title: 'What it took',
    notes: [],
    columns: columns(
      'game:Game',
      'arm:Arm',
      'role:For',
      'calls:Calls',
      'tokens_in:Tokens read',
      'tokens_fresh:of them new',
      'tokens_out:Tokens written',
      'episodes:Episodes',
      'optimizer_steps:Optimiser steps',
      'trained_tokens:Tokens trained on',
    ),
    rows: report.ledger.map((row) => [
      word(titleOfGame(report, row.game)),
      word(armIn(report, row.game, row.arm)),
      word(row.role),
      big(row.calls),
      big(row.tokensIn),
      big(row.tokensFresh),
      big(row.tokensOut),
      big(row.episodes),
      big(row.optimizerSteps),
      big(row.trainedTokens),
    ]),
  };
}
