// `s3 aa`: the scripted A/A test of the intervals and verdicts. Exit 1 when a bar is not met.
import { CodedError } from '../../errors.ts';
import { type AaRow, aaRow, PAIRS, powerRow, SHAPES } from '../../report/aa.ts';
import { formatShare } from '../../report/format.ts';
import { textTable } from '../../report/render/text.ts';
import type { Command } from '../command.ts';

const EFFECTS = [0.25, 0.5, 0.75, 1, 1.5];

export const command: Command = {
  name: 'aa',
  summary: 'A/A: how often the interval covers 0 where nothing differs, and the rate of false finds',
  usage: '[--replicates 2000] [--json]',
  flags: { replicates: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const replicates = args.integer('replicates', 2000, [10, 1_000_000]);
    const rows: AaRow[] = [];
    for (const shape of SHAPES) {
      io.err(`${shape.name}: ${replicates} times ${shape.runs * PAIRS} pairs`);
      rows.push(aaRow(shape, replicates));
      await new Promise((resolve) => setImmediate(resolve));
      if (io.signal.aborted) throw new CodedError('worker/aborted', 'the test was interrupted');
    }
    const dense = SHAPES[0]!;
    const power = EFFECTS.map((effect) => powerRow(dense, effect, Math.max(10, Math.ceil(replicates / 4))));
    const met = rows.every((row) => row.met);
    if (args.flag('json')) io.out(JSON.stringify({ replicates, pairs: PAIRS, rows, power, met }));
    else for (const line of text(rows, power)) io.out(line);
    return met ? 0 : 1;
  },
};

function text(rows: readonly AaRow[], power: readonly ReturnType<typeof powerRow>[]): string[] {
  const share = (value: number | null) => formatShare(value, 1, true);
  return [
    ...textTable(
      ['scores', 'covers 0', 'bar', 'helps', 'hurts', 'p < 0.05', 'met'],
      rows.map((row) => [
        row.shape,
        share(row.coverage),
        `${share(row.bar[0])} to ${share(row.bar[1])}`,
        share(row.helps),
        share(row.hurts),
        share(row.pBelow),
        row.met ? 'yes' : 'NO',
      ]),
    ),
    '',
    ...textTable(
      ['true effect (sd of an episode)', `found at ${PAIRS} pairs`],
      power.map((row) => [String(row.effect), share(row.found)]),
    ),
  ];
}
