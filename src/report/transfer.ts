// Negative or positive transfer: an adapter trained on one game, played on each (protocol.md, Transfer). Knows which
// adapter each held-out episode was played with; pairs by instance with frozen of the same game and run seed.
import type { EpisodeEvent, RunEvent } from '../log/events.ts';
import { FROZEN, Roster } from './arms.ts';
import type { ReportContext } from './context.ts';
import { estimate, type Observation } from './interval.ts';
import { normalisedDelta } from './metrics.ts';
import type { Log } from './table.ts';
import type { TransferCell, TransferTable } from './types.ts';

/** null where no log started from an adapter. `order`: games in the table's order. */
export function transfer(
  main: readonly Log[],
  carried: readonly Log[],
  context: ReportContext,
  order: (game: string) => number,
): TransferTable | null {
  if (carried.length === 0) return null;
  const logs = [...main, ...carried.filter((log) => !main.includes(log))];
  const events = logs.map((log) => log.events);
  const trainedOn = origins(events, new Roster(logs.map((log) => log.opened)));
  const wanted = new Set(carried.map((log) => log.fromAdapter!));
  const frozen = new Map<string, EpisodeEvent>();
  // By trained-on and played game, then by pair: what two logs hold twice counts once.
  const played = new Map<string, Map<string, EpisodeEvent>>();
  for (const event of events.flat()) {
    if (event.type !== 'episode' || event.phase !== 'strict' || event.role !== 'strict') continue;
    if (event.split !== 'strict' || event.replicate !== 0 || event.endReason === 'failed') continue;
    if (event.pathway === FROZEN && event.adapter === null) frozen.set(pairKey(event), event);
    else if (event.adapter !== null && wanted.has(event.adapter)) {
      const key = `${trainedOn.get(event.adapter) ?? event.adapter.slice(0, 8)} ${event.game}`;
      const found = played.get(key) ?? new Map<string, EpisodeEvent>();
      played.set(key, found.set(pairKey(event), event));
    }
  }
  const cells = [...played].flatMap(([key, found]): TransferCell[] => {
    const episodes = [...found.values()];
    const [from, game] = key.split(' ') as [string, string];
    const observations = episodes.flatMap((episode): Observation[] => {
      const base = frozen.get(pairKey(episode));
      const cluster = episode.cluster ?? episode.instance;
      return base ? [{ value: episode.score - base.score, run: episode.runSeed, cluster }] : [];
    });
    const delta = estimate(observations);
    if (!delta) return [];
    const { mean, lo, hi, n, units, unit } = delta;
    const { preset, options, split } = episodes[0]!;
    const baselines = context.baselines(game, { preset, options, split });
    const cell = { trainedOn: from, evaluatedOn: game, delta: { mean, lo, hi, n, units, unit } };
    return [{ ...cell, normalised: normalisedDelta(mean, baselines) }];
  });
  const games = [...new Set(cells.flatMap((cell) => [cell.trainedOn, cell.evaluatedOn]))];
  games.sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  const at = (cell: TransferCell) => games.indexOf(cell.trainedOn) * games.length + games.indexOf(cell.evaluatedOn);
  return { games, cells: cells.sort((a, b) => at(a) - at(b)) };
}

/** Which game an adapter was trained on, by the line that saved it. */
function origins(logs: readonly (readonly RunEvent[])[], roster: Roster): Map<string, string> {
  const found = new Map<string, string>();
  for (const event of logs.flat()) {
    if (event.type === 'adapter.saved' && !roster.isControl(event.pathway)) found.set(event.hash, event.game);
  }
  return found;
}

const pairKey = (e: EpisodeEvent) => `${e.game} ${e.runSeed} ${e.instance} ${e.index}`;
