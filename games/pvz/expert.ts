// The expert: help where a zombie is about to get through, sunflowers, then walls. It plays the visible field forward
// by the public rules with nothing new spawning; it does not know what comes, where or when.
import { write, type Placement } from './action.ts';
import { plantKinds, plants, type PvzConfig } from './config.ts';
import type { PvzState } from './state.ts';
import { placed, playTurn, type Field } from './turn.ts';
import { LISTED } from './views.ts';

/** Sunflowers a row, planted before anything that is not urgent. */
const FLOWERS = 3;
/** A loss that is this near is urgent; to answer earlier costs the sunflowers that pay for the end. */
const URGENT = 2;

/** The turn in which the field is lost if nothing is planted and nothing comes; Infinity if it holds to the cap. */
export function doom(config: PvzConfig, field: Field): { turn: number; row: number } {
  let now = field;
  while (now.turn < config.stepCap && now.zombies.length > 0) {
    now = playTurn(config, now, []);
    if (now.lost !== null) return { turn: now.turn, row: now.lost };
  }
  return { turn: Infinity, row: -1 };
}

/** The left-most free columns of a row: those that the line view lists. */
export function freeColumns(config: PvzConfig, field: Field, row: number): number[] {
  const columns = Array.from({ length: config.cols }, (_, col) => col);
  return columns.filter((col) => !field.cells[row * config.cols + col]).slice(0, LISTED);
}

/** Of the affordable plants the one that delays the loss of the row the most. */
export function rescue(config: PvzConfig, field: Field, loss: { turn: number; row: number }): Placement | null {
  let best: Placement | null = null;
  let longest = loss.turn;
  for (const kind of plantKinds) {
    if (plants[kind].cost > field.sun) continue;
    for (const col of freeColumns(config, field, loss.row)) {
      const { turn } = doom(config, placed(config, field, kind, loss.row, col));
      if (Math.min(turn, config.stepCap) <= longest) continue;
      longest = Math.min(turn, config.stepCap);
      best = { kind, row: loss.row, col };
    }
  }
  return best;
}

/** The free cell furthest to the left, in the first such row; null on a full board. */
export function leftmost(config: PvzConfig, field: Field): { row: number; col: number } | null {
  let best: { row: number; col: number } | null = null;
  for (let row = 0; row < config.rows; row++) {
    const col = freeColumns(config, field, row)[0];
    if (col !== undefined && (!best || col < best.col)) best = { row, col };
  }
  return best;
}

export const count = (field: Field, kind: string) => field.cells.filter((plant) => plant?.kind === kind).length;

function wish(config: PvzConfig, field: Field): Placement | null {
  const loss = doom(config, field);
  if (loss.turn - field.turn <= URGENT) return rescue(config, field, loss);
  const cell = leftmost(config, field);
  if (!cell) return null;
  return { kind: count(field, 'X') < FLOWERS * config.rows ? 'X' : 'J', ...cell };
}

/** Buys wish after wish until the sun is short or nothing is wished for. */
export function buy(
  config: PvzConfig,
  { field }: PvzState,
  wished: (config: PvzConfig, field: Field) => Placement | null,
): string {
  const chosen: Placement[] = [];
  for (let next = wished(config, field); next && plants[next.kind].cost <= field.sun; next = wished(config, field)) {
    chosen.push(next);
    field = placed(config, field, next.kind, next.row, next.col);
  }
  return write(chosen);
}

export const expert = (config: PvzConfig, state: PvzState) => buy(config, state, wish);
