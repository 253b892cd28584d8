// A report and nothing else: whether an arm's own scores fit the rewards better late in its exploration than early. An arm
// that learns from its scores moves what it judges, so one number for a whole run can hide a judge that drifts.
import { findGame } from '../../../games/registry.ts';
import type { Plugin } from '../../gym/plugin.ts';
import type { EpisodeEvent, RunEvent, RunOpened } from '../../log/events.ts';
import { Roster } from '../../report/arms.ts';
import { judge, type Judged } from '../../report/judging.ts';
import { columns, count, number, share, type Table, word } from '../../report/render/cells.ts';

const THIRDS = ['first', 'second', 'last'];
/** Fewer episodes are no third. */
const LEAST = 6;

export const plugin: Plugin = {
  manifest: { name: 'drift', version: '1', kinds: ['report'], settings: [], reads: [], arms: [] },
  report: (logs) => [tableOf(logs)],
};

function tableOf(logs: readonly (readonly RunEvent[])[]): Table {
  const opened = logs.flatMap((log) => log.filter((event): event is RunOpened => event.type === 'run.opened'));
  const roster = new Roster(opened);
  const rows = [...exploredBy(logs)].flatMap(([, runs]) => {
    const { game, pathway } = runs[0]![0]!;
    return THIRDS.map((third, part) => {
      const steps = runs.flatMap((episodes) =>
        episodes.filter((_, i) => partOf(i, episodes.length) === part).flatMap(stepsOf),
      );
      const { n, agreement, over, under } = judge(steps, null);
      return [
        ...[word(findGame(game)?.title ?? game), word(roster.title(pathway)), word(third), count(n)],
        ...[agreement?.mean, agreement?.lo, agreement?.hi].map((value) => number(shareOf(value ?? null), 2)),
        ...[share(over), share(under)],
      ];
    });
  });
  return {
    id: 'judging',
    title: 'Does its judging drift while it learns?',
    notes: ['Agreement of its scores with the rewards, s > 0 against r > 0, by thirds of its exploration.'],
    columns: columns(
      ...['game:Game', 'arm:Arm', 'third:Third', 'steps:Steps', 'agreement:Agreement', 'lo:95 % from', 'hi:to'],
      ...['over:Too high', 'under:Too low'],
    ),
    rows,
  };
}

/** Exploration episodes by game and arm, a list for each run seed, in the order of play. */
function exploredBy(logs: readonly (readonly RunEvent[])[]): Map<string, EpisodeEvent[][]> {
  const found = new Map<string, Map<string, EpisodeEvent[]>>();
  for (const [i, log] of logs.entries())
    for (const event of log) {
      if (event.type !== 'episode' || event.phase !== 'explore') continue;
      const key = `${event.game} ${event.pathway}`;
      const run = `${i} ${event.runSeed}`;
      const runs = found.get(key) ?? new Map<string, EpisodeEvent[]>();
      const episodes = runs.get(run) ?? [];
      episodes.push(event);
      found.set(key, runs.set(run, episodes));
    }
  const long = [...found].map(
    ([key, runs]) => [key, [...runs.values()].filter(({ length }) => length >= LEAST)] as const,
  );
  return new Map(long.filter(([, runs]) => runs.length > 0));
}

/** An interval's ends, less what no share can be. */
const shareOf = (value: number | null) => (value === null ? null : Math.min(1, Math.max(0, value)));

const partOf = (index: number, length: number) => Math.floor((THIRDS.length * index) / length);

const stepsOf = ({ runSeed, index, steps }: EpisodeEvent): Judged[] =>
  steps.map(({ selfScore, reward }) => ({ s: selfScore, r: reward, episode: `${runSeed} ${index}` }));
