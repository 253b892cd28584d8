// Ways to play, from random purchases to the expert, each with its own fault; all read the field only.
import type { Rng } from '../contract.ts';
import { allowed, write, type Placement } from './action.ts';
import type { PlantKind, PvzConfig } from './config.ts';
import { buy, count, doom, expert, freeColumns, leftmost, rescue } from './expert.ts';
import type { PvzState } from './state.ts';
import { placed, type Field } from './turn.ts';

type Policy = (config: PvzConfig, state: PvzState, rng: Rng) => string;

/**
 * Half the time nothing more; else one legal placement, each equally likely, and again. Uniform over the sets of
 * placements would nearly always spend everything: large sets are by far the most.
 */
const drawn =
  (optionsIn: (config: PvzConfig, field: Field) => Placement[]): Policy =>
  (config, state, rng) => {
    const chosen: Placement[] = [];
    let field = state.field;
    while (rng.int(2) === 0) {
      const options = optionsIn(config, field);
      if (options.length === 0) break;
      const next = rng.pick(options);
      chosen.push(next);
      field = placed(config, field, next.kind, next.row, next.col);
    }
    return write(chosen);
  };

export const random: Policy = drawn(allowed);

const wishing =
  (wish: (config: PvzConfig, field: Field) => Placement | null): Policy =>
  (config, state) =>
    buy(config, state, wish);

/** One kind from the left, in all rows alike. */
const spread = (kind: PlantKind) =>
  wishing((config, field) => {
    const cell = leftmost(config, field);
    return cell && { kind, ...cell };
  });

/** One kind, the first row full before the next begins. */
const rowByRow = (kind: PlantKind) => wishing((config, field) => inFirstRow(config, field, kind));

function inFirstRow(config: PvzConfig, field: Field, kind: PlantKind): Placement | null {
  for (let row = 0; row < config.rows; row++) {
    const col = freeColumns(config, field, row)[0];
    if (col !== undefined) return { kind, row, col };
  }
  return null;
}

/** A shooter for the row with the most zombie HP for each shooter that it has. */
function shooter(config: PvzConfig, field: Field): Placement | null {
  let best: { row: number; need: number } | null = null;
  for (let row = 0; row < config.rows; row++) {
    const hp = field.zombies.filter((zombie) => zombie.row === row).reduce((sum, zombie) => sum + zombie.hp, 0);
    const shooters = field.cells.slice(row * config.cols, (row + 1) * config.cols).filter((p) => p?.kind === 'W');
    const need = hp / (1 + shooters.length);
    if (freeColumns(config, field, row).length > 0 && need > (best?.need ?? 0)) best = { row, need };
  }
  return best && { kind: 'W', row: best.row, col: freeColumns(config, field, best.row)[0]! };
}

export const strategies: Readonly<Record<string, Policy>> = {
  random,
  // The line view lists only some of the free cells; who reads it can choose no other.
  anyListed: drawn((config, field) =>
    allowed(config, field).filter(({ row, col }) => freeColumns(config, field, row).includes(col)),
  ),
  nothing: () => '-',
  flowers: rowByRow('X'),
  walls: spread('J'),
  shooters: spread('W'),
  guard: wishing(shooter),
  economy: wishing((config, field) => {
    const cell = leftmost(config, field);
    if (count(field, 'X') < config.rows) return cell && { kind: 'X', ...cell };
    return shooter(config, field) ?? (cell && { kind: 'W', ...cell });
  }),
  late: wishing((config, field) => {
    const loss = doom(config, field);
    return loss.turn - field.turn <= 1 ? rescue(config, field, loss) : null;
  }),
  expertHalf: (config, state, rng) => (rng.int(2) === 0 ? expert(config, state) : random(config, state, rng)),
  expert: (config, state) => expert(config, state),
};

export const tips: Readonly<Record<string, string>> = {
  random: 'retain: choose any move avoid: nothing next: choose any move again',
  anyListed: 'retain: choose any listed cell avoid: nothing next: choose any listed cell again',
  nothing: 'retain: keep sun avoid: every plant next: - again',
  flowers: 'retain: X row by row avoid: W and J next: X again',
  walls: 'retain: J in every row avoid: X and W next: J again',
  shooters: 'retain: W in every row avoid: X and J next: W again',
  guard: 'retain: W in the row with most zombie hp avoid: rows with no zombie next: W again',
  economy: 'retain: X in every row avoid: J next: W in the row with most zombie hp',
  late: 'retain: keep sun avoid: early plants next: a plant when a zombie is at 0',
  expertHalf: 'retain: X in every row then J avoid: nothing next: often choose any move',
  expert: 'retain: X in every row then J avoid: rows with no plant next: help the row with a zombie at 0 or 1',
};
