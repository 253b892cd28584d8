// `s3 verify`: believes nothing that the log claims; names the first lines that differ, exit 1.
import { createReadStream, existsSync } from 'node:fs';
import { CodedError } from '../../errors.ts';
import { regenerate } from '../../gym/regenerate.ts';
import { verifyLog, type Difference } from '../../gym/verify.ts';
import { hashBytes } from '../../log/chain.ts';
import type { RunEvent } from '../../log/events.ts';
import { blobFolder, readBlobFile } from '../../log/files.node.ts';
import { readEvents } from '../../log/jsonl.ts';
import { openModelByName } from '../../models/open.node.ts';
import { closingReport } from '../../report/defaults.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  name: 'verify',
  summary: 'Replays a log and computes everything in it anew; --regenerate N also decodes N episodes again.',
  usage: 'LOG.jsonl [--regenerate N] [--model nano|DIR|FILE.gguf] [--json]',
  flags: {
    regenerate: { type: 'string' },
    model: { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [1, 1],
  async run(args, io) {
    const path = args.positionals[0]!;
    if (!existsSync(path)) throw new CodedError('usage/no-file', `no file ${path}`, 'name a LOG.jsonl');
    let events: RunEvent[];
    try {
      events = await readEvents(createReadStream(path), { chain: false });
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      // A line that is no event at all: the log does not verify.
      if (args.flag('json'))
        io.out(
          JSON.stringify({
            ok: false,
            events: 0,
            episodes: 0,
            differences: [],
            error: { code: error.code, message: error.message },
          }),
        );
      else io.out(`${path}: ${error.message} (${error.code})`);
      return 1;
    }
    const readBlob = (hash: string) => readBlobFile(path, hash);
    const blobs = existsSync(blobFolder(path));
    const result = await verifyLog(events, {
      report: closingReport,
      ...(blobs ? { readBlob, hashBlob: hashBytes } : {}),
    });
    if (!blobs && events.some((event) => event.type === 'adapter.saved'))
      io.err('no blobs beside the log: adapters were not looked at');
    const count = args.integer('regenerate', 0, [0, 1_000_000]);
    let regenerated = 0;
    if (count > 0 && result.ok) {
      const opened = events[0]!;
      const logged = opened.type === 'run.opened' ? String(opened.config.model) : 'nano';
      const threads = args.integer('threads', 0, [0, 64]);
      const model = await openModelByName(args.text('model') ?? logged, io.root, threads ? { threads } : {});
      const again = await regenerate(events, model, count, readBlob);
      await model.close();
      regenerated = again.episodes;
      result.differences.push(...again.differences);
      result.ok = result.differences.length === 0;
    }
    if (args.flag('json')) io.out(JSON.stringify({ ...result, ...(count > 0 ? { regenerated } : {}) }));
    else {
      for (const difference of result.differences) io.out(describe(path, difference));
      const again = count > 0 ? `, ${regenerated} decoded again` : '';
      io.out(
        `${result.ok ? 'verified' : 'DOES NOT VERIFY'}: ${result.events} lines, ${result.episodes} episodes replayed${again}`,
      );
    }
    return result.ok ? 0 : 1;
  },
};

const show = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
const describe = (path: string, { n, field, logged, recomputed }: Difference) =>
  `${path}:${n + 1} (n ${n}) ${field}: logged ${show(logged)}, recomputed ${show(recomputed)}`;
