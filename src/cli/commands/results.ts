// `npm run results`: plays the runs behind docs/results.md (or goes on with them) and writes it with its charts. No
// timings in it; the same seeds give the same bytes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '../../errors.ts';
import { runConfig } from '../../gym/config.ts';
import type { Settings } from '../../gym/settings.ts';
import { beginningOf, type StartFrom } from '../../gym/startFrom.ts';
import type { AdapterSaved, RunEvent } from '../../log/events.ts';
import { LogFile, readLogFile } from '../../log/files.node.ts';
import { openModelByName } from '../../models/open.node.ts';
import { buildContext, reportOfLogs } from '../../report/defaults.ts';
import { openLog } from '../../report/merge.ts';
import { transfer } from '../../report/transfer.ts';
import type { TransferTable } from '../../report/types.ts';
import type { Command, Io } from '../command.ts';
import { CARRIED, FEWER_SEEDS, PLAN } from '../results/plan.ts';
import { resultFiles, type Section } from '../results/write.ts';
import { runToLog } from '../runToLog.ts';

export const command: Command = {
  name: 'results',
  summary: 'Plays the runs behind docs/results.md and writes it; goes on where it stopped.',
  usage: '[--only NAME,NAME] [--no-transfer] [--logs DIR] [--out DIR] [--threads N]',
  flags: {
    only: { type: 'string' },
    'no-transfer': { type: 'boolean' },
    logs: { type: 'string' },
    out: { type: 'string' },
    threads: { type: 'string' },
  },
  positionals: [0, 0],
  async run(args, io) {
    const folder = args.text('logs') ?? join(io.root, 'runs/results');
    mkdirSync(folder, { recursive: true });
    const only = args.text('only')?.split(',');
    const runs = new Runs(folder, args.integer('threads', 0, [0, 64]), io);
    const sections: Section[] = [];
    const trained: RunEvent[][] = [];
    for (const name of [...new Set(PLAN.map(({ section }) => section))]) {
      if (only && !only.includes(name)) continue;
      const logs: RunEvent[][] = [];
      for (const planned of PLAN) {
        if (planned.section === name) logs.push(await runs.finished(planned.name, planned.settings));
        if (io.signal.aborted) return 0;
      }
      sections.push({ name, report: reportOfLogs(logs) });
      // A whole log of each game at a time; what an adapter was trained on is all that stays.
      if (!name.includes('-'))
        trained.push(logs[0]!.filter(({ type }) => type === 'run.opened' || type === 'adapter.saved'));
    }
    const table = args.flag('no-transfer') ? null : await carried(runs, trained, io);
    if (io.signal.aborted) return 0;
    const out = args.text('out') ?? join(io.root, 'docs');
    for (const [name, text] of Object.entries(resultFiles(sections, table))) {
      mkdirSync(dirname(join(out, name)), { recursive: true });
      writeFileSync(join(out, name), text);
    }
    io.err(`wrote ${join(out, 'results.md')}`);
    return 0;
  },
};

class Runs {
  #folder: string;
  #threads: number;
  #io: Io;

  constructor(folder: string, threads: number, io: Io) {
    [this.#folder, this.#threads, this.#io] = [folder, threads, io];
  }

  /** The events of a run that is over; plays it, or the rest of it, first. */
  async finished(name: string, settings: Settings, from: StartFrom | null = null): Promise<RunEvent[]> {
    const path = join(this.#folder, `${name}.jsonl`);
    if (existsSync(path)) {
      const events = await readLogFile(path);
      if (events.at(-1)?.type === 'run.closed') return events;
    }
    this.#io.err(name);
    const config = runConfig(settings);
    const model = await openModelByName('nano', this.#io.root, this.#threads ? { threads: this.#threads } : {});
    if (!existsSync(path)) {
      const log = await LogFile.create(path, 'close');
      return runToLog({ config, model, log, past: [], from }, false, this.#io);
    }
    const { log, events } = await LogFile.resume(path, 'close');
    const start = await beginningOf(events, (hash) => log.blob(hash));
    return runToLog({ config, model, log, past: events, from: start }, false, this.#io);
  }

  /** An adapter as a run saved it. */
  async adapter(name: string, saved: AdapterSaved): Promise<StartFrom> {
    const { log } = await LogFile.resume(join(this.#folder, `${name}.jsonl`), 'close');
    const tensors = await log.blob(saved.hash);
    await log.close();
    if (!tensors) throw new CodedError('log/missing-blob', `no blob ${saved.hash}`, 'keep LOG.blobs beside the log');
    return { adapter: { hash: saved.hash, config: saved.config, tensors } };
  }
}

/** The last adapter of each game's `training` arm, played on all games. */
async function carried(runs: Runs, trained: readonly RunEvent[][], io: Io): Promise<TransferTable | null> {
  const logs: RunEvent[][] = [];
  for (const events of trained) {
    for (const seed of FEWER_SEEDS) {
      const saved = events.findLast(
        (event): event is AdapterSaved =>
          event.type === 'adapter.saved' && event.pathway === 'training' && event.runSeed === seed,
      );
      if (!saved) continue;
      const game = saved.game.replace(/-v\d+$/, '');
      const from = await runs.adapter(game, saved);
      const played = await runs.finished(`transfer-${game}-${seed}`, { ...CARRIED, seeds: [seed] }, from);
      logs.push(played);
      if (io.signal.aborted) return null;
    }
  }
  const opened = logs.map(openLog);
  const order = (id: string) => (CARRIED.games as string[]).indexOf(id);
  return transfer([...trained.map(openLog), ...opened], opened, buildContext, order);
}
