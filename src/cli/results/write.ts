// docs/results.md and the files beside it: the bars first, then every game's whole report and chart. Bytes depend on
// the logs alone.
import { formatEstimate, formatShare } from '../../report/format.ts';
import { chartFile } from '../../report/render/chart.ts';
import { escapeMarkdown } from '../../report/render/escape.ts';
import { renderMarkdown } from '../../report/render/markdown.ts';
import type { Report, TransferTable } from '../../report/types.ts';
import { barsOf, sentencesOf, type GameBars } from './bars.ts';

export interface Section {
  name: string;
  report: Report;
}

/** Every section's whole report and charts, and links to them. */
function reportFiles(sections: readonly Section[]): { files: Record<string, string>; links: string[] } {
  const files: Record<string, string> = {};
  const links: string[] = [];
  for (const { name, report } of sections) {
    files[`results/${name}.md`] = `# Results: ${name}\n\n${method(report)}\n\n${renderMarkdown(report)}`;
    for (const game of report.games) {
      for (const split of game.splits) {
        const chart = chartFile(split, game.scoreUnit);
        if (chart === '') continue;
        const picture = `results/${name}${split.split === 'strict' ? '' : `-${split.split}`}.svg`;
        files[picture] = chart;
        links.push(
          `### [${escapeMarkdown(game.title)}${name.includes('-') ? `, ${name}` : ''}${split.split === 'strict' ? '' : `, ${split.split}`}](results/${name}.md)\n\n![Held-out score by episodes explored](${picture})`,
        );
      }
    }
  }
  return { files, links };
}

const REAL = '## A real model';

/** The section that `realFiles` wrote into a page, or ''. */
const realSection = (page: string): string => {
  const from = page.indexOf(`\n${REAL}`);
  return from < 0 ? '' : page.slice(from + 1).trimEnd();
};

/** The files of a real model's runs; `page` is results.md, whose last section they become. */
export function realFiles(sections: readonly Section[], page: string): Record<string, string> {
  const { files, links } = reportFiles(sections);
  const rest = page.slice(0, page.length - realSection(page).length).trimEnd();
  const [first] = sections;
  files['results.md'] =
    [
      rest,
      REAL,
      'Made by `npm run results -- --model FILE.gguf`. Each arm learns once, from 32 episodes; few held-out instances, so intervals are wide.',
      method(first!.report),
      ...sections.flatMap(({ report }) => [
        allDifferences(report),
        ...report.games.map(
          ({ title, bottleneck }) => `- ${title}: ${escapeMarkdown(bottleneck?.sentence ?? 'not measured')}`,
        ),
      ]),
      ...links,
    ].join('\n\n') + '\n';
  return files;
}

/** Every comparison of a report, oracles included. */
function allDifferences({ games }: Report): string {
  return [
    row(['Game', 'Arm', 'Against', 'Difference']),
    row(['---', '---', '---', '--:']),
    ...games.flatMap(({ title, splits }) =>
      splits.flatMap(({ comparisons }) =>
        comparisons.flatMap(({ arm, against, final, verdict }) =>
          final
            ? [
                row([
                  title,
                  arm,
                  against,
                  bold(formatEstimate(final, { signed: true }), verdict.kind !== 'cannot-tell'),
                ]),
              ]
            : [],
        ),
      ),
    ),
  ].join('\n');
}

/** Files by their path under docs/. `page`: results.md as it was, whose section on a real model stays. */
export function resultFiles(
  sections: readonly Section[],
  table: TransferTable | null,
  page = '',
): Record<string, string> {
  const { files, links } = reportFiles(sections);
  const bars = sections.filter(({ name }) => !name.includes('-')).flatMap(({ report }) => barsOf(report));
  const rest = sections.filter(({ name }) => name.includes('-'));
  files['results.md'] =
    [
      '# Results',
      'Made by `npm run results`, which plays the runs behind it (or goes on with them) and writes this page; the same seeds give the same bytes. `s3 verify` checks the logs.',
      method(sections[0]!.report),
      '## Bars',
      sentencesOf(bars)
        .map((sentence) => `- ${escapeMarkdown(sentence)}`)
        .join('\n'),
      gamesTable(bars),
      '## Differences in strict score after exploring',
      'Each arm against frozen, then against its controls; 95 % interval over run means; **bold**: the interval leaves 0.',
      differencesTables(bars),
      '## Where it is held back',
      bars.map(({ title, bottleneck }) => `- ${title}: ${escapeMarkdown(bottleneck ?? 'not measured')}`).join('\n'),
      ...rest.flatMap(({ name, report }) => [`## ${name}`, differencesTables(barsOf(report))]),
      ...(table
        ? [
            '## Trained on one game, played on each',
            'Strict score with the adapter minus frozen, normalised by random and expert; **bold**: the 95 % interval of the score leaves 0.',
            transferText(table),
          ]
        : []),
      '## Game by game',
      ...links,
      realSection(page),
    ]
      .join('\n\n')
      .trimEnd() + '\n';
  return files;
}

function method(report: Report): string {
  const seeds = report.runSeeds.length;
  return `Model ${report.model.slice(0, 16)}…, preset ${report.preset}, run seeds ${report.runSeeds.join(', ')} (${seeds >= 6 ? 'a claim' : 'a demonstration'}). ${report.method.interval}.`;
}

const bold = (text: string, on: boolean) => (on ? `**${text}**` : text);
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

function gamesTable(bars: readonly GameBars[]): string {
  return [
    row(['Game', 'Base, normalised', 'Well-formed', 'Legal', 'Agreement of its scores', 'By chance']),
    row(['---', '--:', '--:', '--:', '--:', '--:']),
    ...bars.map((one) =>
      row([
        one.title,
        one.normalised === null ? '–' : one.normalised.toFixed(2),
        formatShare(one.wellFormed),
        formatShare(one.valid),
        one.agreement?.text ?? '–',
        one.agreement?.chance === null || one.agreement === null ? '–' : one.agreement.chance.toFixed(2),
      ]),
    ),
  ].join('\n');
}

/** Two tables, a game a row: each arm against frozen, then against its controls. */
function differencesTables(bars: readonly GameBars[]): string {
  return [true, false]
    .map((frozen) => {
      const chosen = bars.map(({ title, differences }) => ({
        title,
        differences: differences.filter(({ against }) => (against === 'frozen') === frozen),
      }));
      const heads = [...new Set(chosen.flatMap(({ differences }) => differences.map(headOf)))];
      return [
        row(['Game', ...heads]),
        row(['---', ...heads.map(() => '--:')]),
        ...chosen.map(({ title, differences }) =>
          row([
            title,
            ...heads.map((head) => {
              const one = differences.find((difference) => headOf(difference) === head);
              return one ? bold(one.text.replace('95 % ', ''), one.verdict !== 'cannot-tell') : '–';
            }),
          ]),
        ),
      ].join('\n');
    })
    .join('\n\n');
}

const headOf = ({ arm, against }: GameBars['differences'][number]) => `${arm} − ${against}`;

function transferText({ games, cells }: TransferTable): string {
  const short = (id: string) => id.replace(/-v\d+$/, '');
  return [
    row(['Trained on', ...games.map(short)]),
    row(['---', ...games.map(() => '--:')]),
    ...games.map((from) =>
      row([
        short(from),
        ...games.map((game) => {
          const cell = cells.find((one) => one.trainedOn === from && one.evaluatedOn === game);
          if (!cell) return '–';
          const { lo, hi } = cell.delta;
          const text =
            cell.normalised === null ? formatEstimate(cell.delta, { signed: true }) : signed(cell.normalised);
          return bold(text, lo !== null && hi !== null && (lo > 0 || hi < 0));
        }),
      ]),
    ),
  ].join('\n');
}

const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
