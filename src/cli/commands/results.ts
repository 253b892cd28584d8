// `npm run results`: plays the runs behind docs/results.md (or goes on with them) and writes it. No timings in it; the
// same seeds give the same bytes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runConfig } from '../../gym/config.ts';
import type { Settings } from '../../gym/settings.ts';
import type { RunEvent } from '../../log/events.ts';
import { LogFile, readLogFile } from '../../log/files.node.ts';
import { openModelByName } from '../../models/open.node.ts';
import { reportOfLogs } from '../../report/defaults.ts';
import { renderMarkdown } from '../../report/render/markdown.ts';
import type { Command, Io } from '../command.ts';
import { runToLog } from '../runToLog.ts';

const ARMS = ['frozen', 'history', 'history-ranked', 'history-shuffled', 'summary', 'training', 'training-random'];
const SEEDS = [1, 2, 3];

/** The runs, by the name of their log. */
export const RUNS: Record<string, Settings> = {
  trust: { games: ['trust-v1'], pathways: ARMS, seeds: SEEDS },
  snake: { games: ['snake-v1'], pathways: ARMS, seeds: SEEDS },
  tetris: { games: ['tetris-v1'], pathways: ARMS, seeds: SEEDS },
};

export const command: Command = {
  name: 'results',
  summary: 'Plays the runs behind docs/results.md and writes it; goes on where it stopped.',
  usage: '[--only NAME,NAME] [--logs DIR] [--out FILE] [--threads N]',
  flags: { only: { type: 'string' }, logs: { type: 'string' }, out: { type: 'string' }, threads: { type: 'string' } },
  positionals: [0, 0],
  async run(args, io) {
    const folder = args.text('logs') ?? join(io.root, 'runs/results');
    mkdirSync(folder, { recursive: true });
    const wanted = args.text('only')?.split(',') ?? Object.keys(RUNS);
    const logs: RunEvent[][] = [];
    for (const [name, settings] of Object.entries(RUNS)) {
      if (!wanted.includes(name)) continue;
      logs.push(await finished(join(folder, `${name}.jsonl`), settings, args.integer('threads', 0, [0, 64]), io));
      if (io.signal.aborted) return 0;
    }
    const out = args.text('out') ?? join(io.root, 'docs/results.md');
    writeFileSync(out, renderMarkdown(reportOfLogs(logs)));
    io.err(`wrote ${out}`);
    return 0;
  },
};

async function finished(path: string, settings: Settings, threads: number, io: Io): Promise<RunEvent[]> {
  if (existsSync(path)) {
    const events = await readLogFile(path);
    if (events.at(-1)?.type === 'run.closed') return events;
  }
  const config = runConfig(settings);
  const model = await openModelByName('nano', io.root, threads ? { threads } : {});
  if (!existsSync(path)) {
    const log = await LogFile.create(path, 'close');
    return runToLog({ config, model, log, past: [], from: null }, false, io);
  }
  const { log, events } = await LogFile.resume(path, 'close');
  return runToLog({ config, model, log, past: events, from: null }, false, io);
}
