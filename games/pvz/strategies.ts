// Ways to play, from random purchases to the expert; each reads the field only.
import type { Rng } from '../contract.ts';
import { allowed, write, type Placement } from './action.ts';
import { plants, type PlantKind, type PvzConfig } from './config.ts';
import type { PvzState } from './state.ts';
import { placed, type Field } from './turn.ts';

type Policy = (config: PvzConfig, state: PvzState, rng: Rng) => string;

/** Half the time nothing more; else one legal placement, each equally likely, and again. */
export const random: Policy = (config, state, rng) => {
  const chosen: Placement[] = [];
  let field = state.field;
  while (rng.int(2) === 0) {
    const options = allowed(config, field);
    if (options.length === 0) break;
    const next = rng.pick(options);
    chosen.push(next);
    field = placed(config, field, next.kind, next.row, next.col);
  }
  return write(chosen);
};

/** Buys what `choose` names until it names nothing or the sun is short. */
const buying =
  (choose: (config: PvzConfig, field: Field, rng: Rng) => Placement | null): Policy =>
  (config, state, rng) => {
    const chosen: Placement[] = [];
    let field = state.field;
    for (let next = choose(config, field, rng); next; next = choose(config, field, rng)) {
      if (field.sun < plants[next.kind].cost) break;
      chosen.push(next);
      field = placed(config, field, next.kind, next.row, next.col);
    }
    return write(chosen);
  };

const leftmost = (config: PvzConfig, field: Field, row: number) => {
  for (let col = 0; col < config.cols; col++) if (!field.cells[row * config.cols + col]) return col;
  return null;
};
const count = (config: PvzConfig, field: Field, row: number, kind: PlantKind) =>
  field.cells.slice(row * config.cols, (row + 1) * config.cols).filter((plant) => plant?.kind === kind).length;

const fill = (kind: PlantKind) =>
  buying((config, field) => {
    for (let row = 0; row < config.rows; row++) {
      const col = leftmost(config, field, row);
      if (col !== null) return { kind, row, col };
    }
    return null;
  });

export const expert: Policy = buying((config, field) => {
  const rows = Array.from({ length: config.rows }, (_, row) => row);
  const flowers = rows.reduce((sum, row) => sum + count(config, field, row, 'X'), 0);
  const needs = rows
    .map((row) => {
      const hp = field.zombies.filter((zombie) => zombie.row === row).reduce((sum, zombie) => sum + zombie.hp, 0);
      return { row, want: Math.ceil(hp / 4) - count(config, field, row, 'W') };
    })
    .sort((a, b) => b.want - a.want);
  const kind = needs[0]!.want > 0 ? 'W' : flowers < config.rows ? 'X' : 'W';
  for (const { row } of kind === 'W' ? needs : [...needs].reverse()) {
    const col = leftmost(config, field, row);
    if (col !== null) return { kind, row, col };
  }
  return null;
});

export const strategies: Readonly<Record<string, Policy>> = {
  random,
  nothing: () => '-',
  flowers: fill('X'),
  walls: fill('J'),
  expert,
};
export const tips: Readonly<Record<string, string>> = {};
