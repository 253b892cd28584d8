// `s3 run`: the gym in the terminal. Every flag is a setting of the one table; the log is the result.
import { existsSync } from 'node:fs';
import type { RunEvent, RunOpened } from '../../log/events.ts';
import { LogFile } from '../../log/files.node.ts';
import { CodedError, toErrorValue } from '../../errors.ts';
import { allSettings, checkModel, runConfig, type RunConfig } from '../../gym/config.ts';
import { formatSetting, parseSetting, type Settings } from '../../gym/settings.ts';
import { SETTINGS } from '../../gym/settingsTable.ts';
import { openModelByName } from '../../models/open.node.ts';
import type { LanguageModel } from '../../models/types.ts';
import { reportOfLogs } from '../../report/defaults.ts';
import { renderText } from '../../report/render/text.ts';
import { badValue, type Args, type Command, type Io } from '../command.ts';
import { beginningOf } from '../../gym/startFrom.ts';
import { startFrom } from '../from.ts';
import { runToLog } from '../runToLog.ts';

/** Flags whose names in the terminal are not those of the table. */
const ALIASES: Record<string, string> = { game: 'games', seed: 'seeds' };

export const command: Command = {
  name: 'run',
  summary: 'Runs the gym and writes its log; prints the tables at the end.',
  usage:
    '--game NAME|all [--pathways A,B,…] [--preset pocket|paper] [--seed N | --seeds N,N] [--explore N] [--every N] [--strict N] [--set KEY=VALUE]… --out LOG.jsonl | --resume LOG.jsonl',
  flags: {
    ...Object.fromEntries(SETTINGS.map((setting) => [setting.key, { type: 'string' as const }])),
    game: { type: 'string' },
    seed: { type: 'string' },
    set: { type: 'string', multiple: true },
    out: { type: 'string' },
    resume: { type: 'string' },
    'from-adapter': { type: 'string' },
    'from-memory': { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
  },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const resume = args.text('resume');
    if (resume !== undefined) return goOn(resume, args, io);
    const out = args.required('out');
    if (existsSync(out)) throw new CodedError('usage/bad-value', `${out} exists`, 'name another file, or --resume it');
    const settings = settingsOf(args);
    const config = runConfig(settings);
    const from = await startFrom(args.text('from-adapter'), args.text('from-memory'));
    const model = await openModelByName(config.text('model'), io.root, machine(config.settings));
    checkModel(config, model);
    const judge = await judgeOf(config, io);
    const log = await LogFile.create(out, 'close');
    return finish(await runToLog({ config, model, ...judge, log, past: [], from }, isQuiet(args), io), args, io);
  },
};

/** Settings from flags and `--set`; the flags that a resumed run may still change are those of the machine. */
function settingsOf(args: Args): Settings {
  const given: Settings = {};
  const set = (key: string, text: string, flag: string) => {
    const setting = allSettings.find((one) => one.key === key);
    if (!setting) throw badValue(flag, text, `a setting; there is none called ${key}`);
    try {
      given[key] = parseSetting(setting, text);
    } catch (error) {
      const { message, hint } = toErrorValue(error, 'settings/bad-value');
      throw new CodedError('usage/bad-value', message, hint);
    }
  };
  for (const { key } of SETTINGS) {
    const text = args.text(key);
    if (text !== undefined) set(key, text, key);
  }
  for (const [flag, key] of Object.entries(ALIASES)) {
    const text = args.text(flag);
    if (text !== undefined) set(key, text, flag);
  }
  for (const pair of args.list('set')) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw badValue('set', pair, 'KEY=VALUE');
    set(pair.slice(0, equals), pair.slice(equals + 1), 'set');
  }
  return given;
}

const machine = (settings: Settings) => ({
  ...(settings.engine === 'webgpu' ? { engine: 'webgpu' as const } : {}),
  ...(settings.threads ? { threads: settings.threads as number } : {}),
  ...(settings.memory ? { memoryBudget: (settings.memory as number) * 2 ** 20 } : {}),
});

async function goOn(path: string, args: Args, io: Io): Promise<number> {
  const { log, events, torn } = await LogFile.resume(path, 'close');
  if (torn) io.err(`line ${torn.number} was cut off by a crash and is made again`);
  const opened = events[0] as RunOpened;
  if (events.at(-1)?.type === 'run.closed') {
    io.err('the run is closed; nothing is left to do');
    await log.close();
    return 0;
  }
  const config = runConfig({ ...opened.config, ...unchanged(settingsOf(args), opened.config) });
  const from = await beginningOf(events, (hash) => log.blob(hash));
  const model = await openModelByName(config.text('model'), io.root, machine(config.settings));
  const judge = await judgeOf(config, io);
  return finish(await runToLog({ config, model, ...judge, log, past: events, from }, isQuiet(args), io), args, io);
}

/** What a resumed run may be given: facts of the machine, and where its models lie. Anything else would be another run. */
function unchanged(given: Settings, logged: Settings): Settings {
  for (const [key, value] of Object.entries(given)) {
    const setting = allSettings.find((one) => one.key === key)!;
    if (setting.machine || key === 'model' || key === 'judge') continue;
    if (JSON.stringify(value) === JSON.stringify(logged[key])) continue;
    throw new CodedError(
      'usage/bad-value',
      `--resume: the run was started with ${key}=${formatSetting(logged[key] ?? null)}`,
      'leave the flag out, or start a new run',
    );
  }
  return given;
}

/** The model of a judge pass, where it is another one. */
async function judgeOf({ judgeModel, settings }: RunConfig, io: Io): Promise<{ judge?: LanguageModel }> {
  return judgeModel === null ? {} : { judge: await openModelByName(judgeModel, io.root, machine(settings)) };
}

const isQuiet = (args: Args) => args.flag('quiet') || args.flag('json');

function finish(events: RunEvent[], args: Args, io: Io): number {
  if (io.signal.aborted) return 0;
  const report = reportOfLogs([events]);
  if (args.flag('json')) io.out(JSON.stringify(report));
  else io.out(renderText(report).trimEnd());
  return 0;
}
