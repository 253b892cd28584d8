// The reader worker: parses logs, replays boards, computes the report. Off the page's thread, no state but one log.
import type { RunEvent } from '../../log/events.ts';
import { serve } from '../../workers/wire.ts';
import type { ReaderApi } from './contract.ts';
import { framesOf } from './frames.ts';
import { jsonLines } from './jsonl.ts';
import { promptOf } from './prompt.ts';
import { reportOf } from '../../report/defaults.ts';

let events: RunEvent[] = [];

function episode(n: number) {
  const event = events[n];
  if (event?.type !== 'episode') throw new RangeError(`line ${n} is no episode`);
  return event;
}

const api: ReaderApi = {
  async reset() {
    events = [];
  },
  async append(more) {
    events.push(...more);
  },
  async stream(url, onEvents) {
    // Before the first wait: a log that is opened meanwhile must not be emptied by this one.
    const mine: RunEvent[] = (events = []);
    const response = await fetch(url);
    if (!response.ok || !response.body) throw new Error(`${url}: ${response.status}`);
    for await (const batch of jsonLines(response.body)) {
      if (mine !== events) return; // another log has been opened meanwhile
      // A recording is a file of this site and was validated when it was made.
      mine.push(...(batch as RunEvent[]));
      onEvents(batch as RunEvent[]);
    }
  },
  async report(count) {
    return reportOf(events.slice(0, count));
  },
  async frames(n) {
    return framesOf(episode(n));
  },
  async prompt(n, step) {
    return promptOf(events, episode(n), step);
  },
};

serve(api);
