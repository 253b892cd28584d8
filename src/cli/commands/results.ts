// `npm run results`: plays the runs behind docs/results.md (or goes on with them) and writes it with its charts. No
// timings in it; the same seeds give the same bytes.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '../../errors.ts';
import { runConfig } from '../../gym/config.ts';
import { cycle } from '../../gym/cycle.ts';
import { localGameHost } from '../../gym/host.ts';
import type { Settings } from '../../gym/settings.ts';
import { beginningOf, type StartFrom } from '../../gym/startFrom.ts';
import { timeless } from '../../log/chain.ts';
import type { AdapterSaved, RunEvent, RunOpened } from '../../log/events.ts';
import { blobFolder, LogFile, readLogFile } from '../../log/files.node.ts';
import { openModelByName } from '../../models/open.node.ts';
import type { LanguageModel } from '../../models/types.ts';
import { buildContext, reportOfLogs } from '../../report/defaults.ts';
import { openLog } from '../../report/merge.ts';
import { transfer } from '../../report/transfer.ts';
import type { TransferTable } from '../../report/types.ts';
import type { Command, Io } from '../command.ts';
import { CARRIED, FEWER_SEEDS, PLAN, SEEDS } from '../results/plan.ts';
import { resultFiles, type Section } from '../results/write.ts';
import { runToLog } from '../runToLog.ts';

export const command: Command = {
  name: 'results',
  summary: 'Plays the runs behind docs/results.md and writes it; goes on where it stopped.',
  usage: '[--only NAME,NAME] [--seeds N] [--no-transfer] [--logs DIR] [--out DIR] [--threads N]',
  flags: {
    only: { type: 'string' },
    seeds: { type: 'string' },
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
    const seeds = SEEDS.slice(0, args.integer('seeds', SEEDS.length, [1, SEEDS.length]));
    const runs = new Runs(folder, args.integer('threads', 0, [0, 64]), io);
    const sections: Section[] = [];
    const trained = new Map<string, RunEvent[]>();
    for (const { section, settings } of PLAN) {
      if (only && !only.includes(section)) continue;
      const logs: RunEvent[][] = [];
      for (const seed of seeds) {
        const name = `${section}-${seed}`;
        const log = await runs.finished(name, { ...settings(seed), seeds: [seed] });
        if (io.signal.aborted) return 0;
        logs.push(log);
        // A whole log of each game at a time; what an adapter was trained on is all that stays.
        if (!section.includes('-') && FEWER_SEEDS.includes(seed))
          trained.set(
            name,
            log.filter(({ type }) => type === 'run.opened' || type === 'adapter.saved'),
          );
      }
      sections.push({ name: section, report: reportOfLogs(logs) });
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

/** The first line of a run with these settings. */
async function opening(settings: Settings, model: LanguageModel, from: StartFrom | null): Promise<RunOpened> {
  const nothing = { readBlob: async () => null, report: () => ({ report: null, ledger: null }), past: [] };
  const items = cycle({ config: runConfig(settings), model, host: localGameHost(), from, ...nothing });
  for await (const item of items) if ('event' in item && item.event.type === 'run.opened') return item.event;
  throw new Error('a run begins with run.opened');
}

/** What the results of a log depend on; of a finished one not the whole code, so that a word on the page costs no hours. */
function basisOf({ config, hashes, arms, from }: RunOpened, finished: boolean): string {
  return timeless({ config, arms, from, hashes: finished ? { ...hashes, code: '' } : hashes });
}

class Runs {
  #folder: string;
  #threads: number;
  #io: Io;

  constructor(folder: string, threads: number, io: Io) {
    [this.#folder, this.#threads, this.#io] = [folder, threads, io];
  }

  /** The events of a run that is over; plays it, or the rest of it, first. A log with another basis is thrown away. */
  async finished(name: string, settings: Settings, from: StartFrom | null = null): Promise<RunEvent[]> {
    const path = join(this.#folder, `${name}.jsonl`);
    const config = runConfig(settings);
    const model = await openModelByName('nano', this.#io.root, this.#threads ? { threads: this.#threads } : {});
    if (existsSync(path)) {
      const events = await readLogFile(path);
      const [opened] = events;
      const finished = events.at(-1)?.type === 'run.closed';
      const now = basisOf(await opening(settings, model, from), finished);
      if (opened?.type !== 'run.opened' || basisOf(opened, finished) !== now) {
        this.#io.err(`${name}: of other settings, rules, code or of another model; played again`);
        rmSync(path);
        rmSync(blobFolder(path), { recursive: true, force: true });
      } else if (finished) {
        await model.close();
        return events;
      }
    }
    this.#io.err(name);
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

/** The last adapter of each log's `training` arm, played on all games. */
async function carried(runs: Runs, trained: ReadonlyMap<string, RunEvent[]>, io: Io): Promise<TransferTable | null> {
  const logs: RunEvent[][] = [];
  for (const [name, events] of trained) {
    const saved = events.findLast(
      (event): event is AdapterSaved => event.type === 'adapter.saved' && event.pathway === 'training',
    );
    if (!saved) continue;
    const from = await runs.adapter(name, saved);
    logs.push(await runs.finished(`transfer-${name}`, { ...CARRIED, seeds: [saved.runSeed] }, from));
    if (io.signal.aborted) return null;
  }
  const opened = logs.map(openLog);
  const order = (id: string) => (CARRIED.games as string[]).indexOf(id);
  return transfer([...[...trained.values()].map(openLog), ...opened], opened, buildContext, order);
}
