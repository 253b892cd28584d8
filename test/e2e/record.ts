// TEST DATA: whole logs by the gym itself with the player of player.ts, for screenshots and page tests.
import { runConfig } from '../../src/gym/config.ts';
import { cycle } from '../../src/gym/cycle.ts';
import { localGameHost } from '../../src/gym/host.ts';
import type { Settings } from '../../src/gym/settings.ts';
import type { RunEvent } from '../../src/log/events.ts';
import { rulesOfThumb } from './player.ts';

export async function record(settings: Settings): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const blobs = new Map<string, Uint8Array>();
  const items = cycle({
    config: runConfig(settings),
    model: rulesOfThumb(),
    host: localGameHost(),
    past: [],
    readBlob: async (hash) => blobs.get(hash) ?? null,
    report: () => ({ report: null, ledger: null }),
  });
  for await (const item of items) {
    if (!('event' in item)) continue;
    events.push(item.event);
    for (const [hash, bytes] of Object.entries(item.blobs ?? {})) blobs.set(hash, bytes);
  }
  return events;
}
