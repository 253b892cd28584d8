// The reader worker: parses logs, replays boards, computes the report. Off the page's thread, no state but one log.
import { CodedError, fromErrorValue, toErrorValue, type ErrorCode } from '../../errors.ts';
import type { RunEvent } from '../../log/events.ts';
import { serve } from '../../workers/wire.ts';
import { piecesOf } from '../fetched.ts';
import type { ReaderApi } from './contract.ts';
import { framesOf } from './frames.ts';
import { jsonLines } from './jsonl.ts';
import { promptOf } from './prompt.ts';
import { reportOf } from '../../report/defaults.ts';

let events: RunEvent[] = [];

function episode(n: number) {
  const event = events[n];
  if (event?.type !== 'episode') {
    throw new CodedError('log/no-episode', `line ${n} is no episode`, 'another log may have been opened meanwhile');
  }
  return event;
}

/** Gives a code to what fails without one: on the way to the page it would become the worker's fault. */
async function coded<T>(code: ErrorCode, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    throw fromErrorValue(toErrorValue(error, code));
  }
}

const api: ReaderApi = {
  async reset() {
    events = [];
  },
  async append(more) {
    // Not all as arguments: a long log has more than a call may take.
    for (const event of more) events.push(event);
  },
  async stream(url, onEvents) {
    // Before the first wait: a log that is opened meanwhile must not be emptied by this one.
    const mine: RunEvent[] = (events = []);
    for await (const batch of jsonLines(piecesOf(url))) {
      if (mine !== events) return; // another log has been opened meanwhile
      // A recording is a file of this site and was validated when it was made.
      for (const event of batch) mine.push(event as RunEvent);
      onEvents(batch as RunEvent[]);
    }
  },
  async report(count) {
    return coded('log/report', () => reportOf(events.slice(0, count)));
  },
  async tables(count) {
    return coded('log/report', async () => {
      // Plug-ins are loaded only where somebody looks.
      const { pluginTables } = await import('../../gym/registry.ts');
      return pluginTables([events.slice(0, count)]);
    });
  },
  async frames(n) {
    return coded('log/replay', () => framesOf(episode(n)));
  },
  async prompt(n, step) {
    return coded('log/prompt', () => promptOf(events, episode(n), step));
  },
};

serve(api);
