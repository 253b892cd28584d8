// Ways to play. The expert knows the exact probabilities; the others know a number at a time, or nothing.
import type { Rng } from '../contract.ts';
import { actions, write } from './action.ts';
import type { MinesweeperConfig } from './config.ts';
import { bestPlay } from './exhaustive.ts';
import { neighbours } from './field.ts';
import { posterior, type Posterior } from './probabilities.ts';
import type { MinesweeperState } from './state.ts';
import { grouped, groups, listed, type Group } from './views.ts';

type Policy = (config: MinesweeperConfig, state: MinesweeperState, rng: Rng) => string;

const cellsOf = (state: MinesweeperState, marks: string) =>
  [...state.shown].flatMap((mark, cell) => (marks.includes(mark) ? [cell] : []));
const covered = (state: MinesweeperState) => cellsOf(state, '?');

export const random: Policy = (config, state, rng) => rng.pick(actions(config, state));

/** Safe cells, then (paper) certain mines and what flags can settle, then the least risk. */
export const expert: Policy = (config, state, rng) => {
  const cells = cellsOf(state, '?F');
  const known = posterior(config, state.shown, state.mines.length);
  const safe = cells.find((cell) => known.mine.get(cell) === 0);
  if (safe !== undefined) return uncover(config, state, safe);
  const flagged = config.flags ? flag(config, state, known, rng) : null;
  if (flagged) return flagged;
  const cell = known.layouts <= LAST ? lastCell(config, state, known) : leastRisk(config, cells, known);
  return uncover(config, state, cell);
};

/** A flag is taken back first. */
const uncover = (config: MinesweeperConfig, { shown }: MinesweeperState, cell: number) =>
  write(config, shown[cell] === 'F' ? 'unflag' : 'uncover', cell);

/** Layouts left below which a guess is weighed to the end of the game. */
const LAST = 60;

function lastCell(config: MinesweeperConfig, { shown }: MinesweeperState, known: Posterior): number {
  const layouts = known.all().map((layout) => new Set(layout));
  return bestPlay(config, shown.replaceAll('F', '?'), layouts, new Map()).cell;
}

/** Ties go to the cell with the fewest neighbours: it opens an area most often. */
function leastRisk(config: MinesweeperConfig, cells: number[], { mine }: Posterior): number {
  const near = neighbours(config);
  let best = cells[0]!;
  for (const cell of cells) {
    const less = mine.get(cell)! - mine.get(best)!;
    if (less < -1e-12 || (less < 1e-12 && near[cell]!.length < near[best]!.length)) best = cell;
  }
  return best;
}

/** A certain mine; or, where few layouts remain, one of them flag by flag: a wrong flag harms nothing. */
function flag(config: MinesweeperConfig, state: MinesweeperState, known: Posterior, rng: Rng): string | null {
  const flagged = cellsOf(state, 'F');
  const free = flagged.length < state.mines.length;
  const certain = covered(state).find((cell) => known.mine.get(cell) === 1);
  if (certain !== undefined && free) return write(config, 'flag', certain);
  if (state.shown.includes('X') || known.layouts > FEW) return null;

  // With all flags set the layout that they make is refuted: it would have ended the game.
  const layouts = known.all().filter((layout) => flagged.every((cell) => layout.includes(cell)) === free);
  if (layouts.length === 0) return null;
  const layout = rng.pick(layouts);
  if (free)
    return write(
      config,
      'flag',
      layout.find((cell) => !flagged.includes(cell))!,
    );
  return write(
    config,
    'unflag',
    flagged.find((cell) => !layout.includes(cell))!,
  );
}
const FEW = 6;

/** One of the cells that the line lists, of the first group in the given order that has any. */
const byGroup =
  (order: readonly Group[]): Policy =>
  (config, state, rng) => {
    const group = grouped(config, state.shown);
    for (const name of order) {
      const cells = listed(config, state.shown, group, name);
      if (cells.length > 0) return write(config, 'uncover', rng.pick(cells));
    }
    return random(config, state, rng);
  };

/** By position, whatever the numbers say. */
const ordered =
  (at: number): Policy =>
  (config, state, rng) => {
    const cell = covered(state).at(at);
    return cell === undefined ? random(config, state, rng) : write(config, 'uncover', cell);
  };

/** The line view lists only some of the far cells; who reads it can choose no other. */
const anyListed: Policy = (config, state, rng) => {
  const group = grouped(config, state.shown);
  const cells = groups.flatMap((name) => listed(config, state.shown, group, name));
  return cells.length > 0 ? write(config, 'uncover', rng.pick(cells)) : random(config, state, rng);
};

export const strategies: Readonly<Record<string, Policy>> = {
  random,
  anyListed,
  first: ordered(0),
  last: ordered(-1),
  far: byGroup(['far', 'low', 'half', 'high', 'safe', 'mine']),
  high: byGroup(['mine', 'high', 'half', 'low', 'far', 'safe']),
  low: byGroup(['low', 'half', 'far', 'safe', 'high', 'mine']),
  numbers: byGroup([...groups]),
  noFar: byGroup(['safe', 'low', 'half', 'high', 'far', 'mine']),
  expertHalf: (config, state, rng) => (rng.next() < 0.5 ? expert(config, state, rng) : random(config, state, rng)),
  expert,
};

export const tips: Readonly<Record<string, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  anyListed: 'retain: choose any listed cell avoid: nothing next: choose any listed cell again',
  first: 'retain: the first covered cell avoid: nothing next: go row by row',
  last: 'retain: the last covered cell avoid: nothing next: go row by row from the end',
  far: 'retain: far avoid: cells beside a number next: far then low then half',
  high: 'retain: mine and high avoid: safe and low next: mine then high then half',
  low: 'retain: low avoid: high and mine next: low then half then far',
  numbers: 'retain: safe avoid: high and mine next: safe then low then far then half',
  noFar: 'retain: safe avoid: far and mine next: safe then low then half then high',
  expertHalf: 'retain: safe avoid: nothing next: often choose any move',
  expert: 'retain: safe avoid: mine next: safe then the cell with the least risk',
};
