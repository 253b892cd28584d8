// Plays a run into a log on disk, with a line of progress on stderr. Knows no flags.
import { toErrorValue } from '../errors.ts';
import { cycle } from '../gym/cycle.ts';
import { localGameHost } from '../gym/host.ts';
import type { Live } from '../gym/live.ts';
import { Chain } from '../log/chain.ts';
import type { RunEvent } from '../log/events.ts';
import type { LogFile } from '../log/files.node.ts';
import { closingReport } from '../report/defaults.ts';
import type { Io } from './command.ts';

export type Playing = Pick<Parameters<typeof cycle>[0], 'config' | 'model' | 'judge' | 'past' | 'from'> & {
  log: LogFile;
};

/**
 * Plays the run into the log. Resolves to its events; after Ctrl-C they end in run.paused. What the model, the games or
 * the plug-ins throw is written as run.failed and thrown on.
 */
export async function runToLog(
  { config, model, judge, log, past, from }: Playing,
  quiet: boolean,
  io: Io,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [...past];
  const store = async (event: RunEvent, blobs: Record<string, Uint8Array> = {}) => {
    await log.append(event, blobs);
    events.push(event);
  };
  const say = progressLine(io, quiet);
  const { trains } = model.card;
  if (trains && !quiet && config.arms.some(({ spec }) => spec.trains)) io.err(trains);
  try {
    const items = cycle({
      config,
      model,
      ...(judge ? { judge } : {}),
      host: localGameHost(),
      past,
      readBlob: (hash) => log.blob(hash),
      report: closingReport,
      signal: io.signal,
      from: from ?? null,
    });
    for await (const item of items) {
      if ('live' in item) say(item.live);
      else await store(item.event, item.blobs);
      if (io.signal.aborted) break;
    }
  } catch (error) {
    const { code, message, hint } = toErrorValue(error, 'worker/unknown');
    if (code !== 'worker/aborted') {
      if (events.length > 0)
        await store(new Chain(events.at(-1)).link({ type: 'run.failed', code, message, hint, at: Date.now() }));
      throw error;
    }
  } finally {
    if (io.signal.aborted && events.length > 0 && events.at(-1)!.type !== 'run.closed') {
      await store(new Chain(events.at(-1)).link({ type: 'run.paused', at: Date.now() }));
      io.err(`\npaused; go on with: s3 run --resume ${log.path}`);
    }
    await log.close();
    await model.close();
    await judge?.close();
  }
  return events;
}

/** One line that is written over, where stderr is a terminal; else a line now and then. */
function progressLine(io: Io, quiet: boolean) {
  let last = 0;
  let stage = '';
  return (live: Live) => {
    if (quiet) return;
    if (live.kind === 'stage') stage = `${live.game} ${live.pathway} x=${live.x} ${live.stage}`;
    const now = Date.now();
    const every = process.stderr.isTTY ? 200 : 10_000;
    if (live.kind !== 'progress' || now - last < every) return;
    last = now;
    const left = live.leftMs === null ? '' : `, ${Math.ceil(live.leftMs / 1000)} s left`;
    const line = `episode ${live.done} of ${live.total}${left} · ${stage}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
    else io.err(line);
  };
}
