// `npm run results`: plays the runs behind docs/results.md (or goes on with them) and writes it with its charts. No
// timings in it; the same seeds give the same bytes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
import type { EngineOptions } from '../../models/engine/index.ts';
import type { LanguageModel } from '../../models/types.ts';
import { buildContext, reportOfLogs } from '../../report/defaults.ts';
import { openLog } from '../../report/merge.ts';
import { transfer } from '../../report/transfer.ts';
import type { TransferTable } from '../../report/types.ts';
import { badValue, requireFile, type Command, type Io } from '../command.ts';
import { CARRIED, FEWER_SEEDS, PLAN, SEEDS } from '../results/plan.ts';
import { REAL_MEMORY, REAL_PLAN } from '../results/real.ts';
import { realFiles, resultFiles, type Section } from '../results/write.ts';
import { runToLog } from '../runToLog.ts';

export const command: Command = {
  name: 'results',
  summary: 'Plays the runs behind docs/results.md and writes it; goes on where it stopped.',
  usage:
    '[--only NAME,NAME] [--seeds N] [--no-transfer] [--model FILE.gguf [--memory MB]] [--logs DIR] [--out DIR] [--threads N]',
  flags: {
    only: { type: 'string' },
    seeds: { type: 'string' },
    model: { type: 'string' },
    memory: { type: 'string' },
    'no-transfer': { type: 'boolean' },
    logs: { type: 'string' },
    out: { type: 'string' },
    threads: { type: 'string' },
  },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const folder = args.text('logs') ?? join(io.root, 'runs/results');
    mkdirSync(folder, { recursive: true });
    const only = args.text('only')?.split(',');
    const seeds = SEEDS.slice(0, args.integer('seeds', SEEDS.length, [1, SEEDS.length]));
    const model = args.text('model');
    // Some sections alone are no page: they go beside the logs, and docs/results.md stays whole.
    const out = args.text('out') ?? (only && model === undefined ? folder : join(io.root, 'docs'));
    const memory = args.integer('memory', model === undefined ? 0 : REAL_MEMORY, [0, 4000]);
    const plan = model === undefined ? PLAN : REAL_PLAN;
    for (const name of only ?? [])
      if (!plan.some(({ section }) => section === name))
        throw badValue('only', name, `names of ${plan.map(({ section }) => section).join(', ')}`);
    const machine = { ...args.threads(), ...(memory ? { memoryBudget: memory * 2 ** 20 } : {}) };
    if (model !== undefined) return real({ model, folder, only, seeds, machine, out }, io);
    const runs = new Runs(folder, machine, 'nano', io);
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
    const page = join(out, 'results.md');
    write(out, resultFiles(sections, table, existsSync(page) ? readFileSync(page, 'utf8') : ''), io);
    return 0;
  },
};

function write(out: string, files: Record<string, string>, io: Io) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    writeFileSync(join(out, name), text);
  }
  io.err(`wrote ${join(out, 'results.md')}`);
}

type Machine = Pick<EngineOptions, 'threads' | 'memoryBudget'>;

interface RealOptions {
  model: string;
  folder: string;
  only: readonly string[] | undefined;
  seeds: readonly number[];
  machine: Machine;
  out: string;
}

/** The runs of a model that somebody has on disk, as a section of its own at the end of results.md. */
async function real({ model, folder, only, seeds, machine, out }: RealOptions, io: Io): Promise<number> {
  requireFile(model, 'name a GGUF file; without --model the runs are nano’s');
  const page = join(out, 'results.md');
  requireFile(page, 'npm run results without --model writes the page that this section is added to');
  const runs = new Runs(folder, machine, model, io);
  const sections: Section[] = [];
  for (const { section, settings } of REAL_PLAN) {
    if (only && !only.includes(section)) continue;
    const logs: RunEvent[][] = [];
    for (const seed of seeds) {
      logs.push(await runs.finished(`${section}-${seed}`, { ...settings(seed), model, seeds: [seed] }));
      if (io.signal.aborted) return 0;
    }
    sections.push({ name: section, report: reportOfLogs(logs) });
  }
  write(out, realFiles(sections, readFileSync(page, 'utf8')), io);
  return 0;
}

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
  #machine: Machine;
  #model: string;
  #io: Io;

  constructor(folder: string, machine: Machine, model: string, io: Io) {
    [this.#folder, this.#machine, this.#model, this.#io] = [folder, machine, model, io];
  }

  /** The events of a run that is over; plays it, or the rest of it, first. A log with another basis is thrown away. */
  async finished(name: string, settings: Settings, from: StartFrom | null = null): Promise<RunEvent[]> {
    const path = join(this.#folder, `${name}.jsonl`);
    const config = runConfig(settings);
    const model = await openModelByName(this.#model, this.#io.root, this.#machine);
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
