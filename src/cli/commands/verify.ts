// `s3 verify`: believes nothing that the log claims; names the first lines that differ, exit 1.
import { existsSync } from 'node:fs';
import { CodedError } from '../../errors.ts';
import { shownApart, type Difference } from '../../gym/difference.ts';
import { regenerate, type Regenerated } from '../../gym/regenerate.ts';
import { verifyLog } from '../../gym/verify.ts';
import { hashBytes } from '../../hash.ts';
import type { RunEvent } from '../../log/events.ts';
import { blobFolder, readBlobFile, readLogFile } from '../../log/files.node.ts';
import { openModelByName, textByName } from '../../models/open.node.ts';
import { closingReport } from '../../report/defaults.ts';
import { requireFile, type Command } from '../command.ts';

export const command: Command = {
  name: 'verify',
  summary: 'Replays a log and computes everything in it anew; --regenerate N also decodes N episodes again.',
  usage: 'LOG.jsonl [--regenerate N] [--model nano|DIR|FILE.gguf] [--threads N] [--json]',
  flags: {
    regenerate: { type: 'string' },
    model: { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [1, 1],
  async run(args, io) {
    const path = args.positionals[0]!;
    requireFile(path, 'name a LOG.jsonl');
    let events: RunEvent[];
    try {
      events = await readLogFile(path, { chain: false });
    } catch (error) {
      if (!(error instanceof CodedError) || error.code === 'import/not-a-log') throw error;
      // A line that is no event at all: the log does not verify.
      if (args.flag('json'))
        io.out(
          JSON.stringify({
            ok: false,
            events: 0,
            episodes: 0,
            differences: [],
            unchecked: [],
            error: { code: error.code, message: error.message },
          }),
        );
      else io.out(`${error.message} (${error.code})`);
      return 1;
    }
    const readBlob = (hash: string) => readBlobFile(path, hash);
    const [opened] = events;
    const name = args.text('model') ?? (opened?.type === 'run.opened' ? String(opened.config.model) : 'nano');
    const result = await verifyLog(events, {
      report: closingReport,
      text: await textByName(name, io.root),
      ...(existsSync(blobFolder(path)) ? { readBlob, hashBlob: hashBytes } : {}),
    });
    for (const what of result.unchecked) io.err(`not looked at: ${what}`);
    const count = args.integer('regenerate', 0, [0, 1_000_000]);
    let regenerated: Omit<Regenerated, 'differences'> = { episodes: 0, calls: 0 };
    if (count > 0 && result.ok) {
      const model = await openModelByName(name, io.root, args.threads());
      const again = await regenerate(events, model, count, readBlob);
      await model.close();
      const { differences, ...counts } = again;
      regenerated = counts;
      result.differences.push(...differences);
      result.ok = result.differences.length === 0;
    }
    if (args.flag('json'))
      io.out(
        JSON.stringify({
          ...result,
          ...(count > 0 ? { regenerated: regenerated.episodes, calls: regenerated.calls } : {}),
        }),
      );
    else {
      for (const difference of result.differences) io.out(describe(path, difference));
      const { episodes, calls } = regenerated;
      const again =
        count > 0 ? `, ${episodes} decoded again${calls > 0 ? ` and ${calls} summaries or corrections` : ''}` : '';
      io.out(
        `${result.ok ? 'verified' : 'DOES NOT VERIFY'}: ${result.events} lines, ${result.episodes} episodes replayed${again}`,
      );
    }
    return result.ok ? 0 : 1;
  },
};

function describe(path: string, difference: Difference): string {
  const { n, field } = difference;
  const { logged, recomputed } = shownApart(difference, 200);
  return `${path}:${n + 1} (n ${n}) ${field}: logged ${logged}, recomputed ${recomputed}`;
}
