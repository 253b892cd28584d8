// One turn in its published order: sun of sunflowers, shots, dead zombies, bites and steps, dead plants, spawn, income.
// Planting comes before (plant.ts). What spawns is handed in, so the future is not known here.
import {
  INCOME,
  plants,
  SUNFLOWER_INCOME,
  zombies,
  type PlantKind,
  type PvzConfig,
  type ZombieKind,
} from './config.ts';

export type Plant = { kind: PlantKind; hp: number };
export type Zombie = { kind: ZombieKind; row: number; col: number; hp: number };
/** What the agent may know. */
export type Field = {
  /** Completed turns. */
  turn: number;
  sun: number;
  /** Row by row; null is a free cell. */
  cells: (Plant | null)[];
  /** In order of arrival. */
  zombies: Zombie[];
  /** The row in which a zombie left the board; null while the game goes on. */
  lost: number | null;
};

export const emptyField = (config: PvzConfig, sun: number): Field => ({
  turn: 0,
  sun,
  cells: Array<Plant | null>(config.rows * config.cols).fill(null),
  zombies: [],
  lost: null,
});

/** The field after the turn. A turn in which a zombie leaves is not completed. */
export function playTurn(config: PvzConfig, field: Field, spawns: readonly Zombie[]): Field {
  const { rows, cols } = config;
  const cells = [...field.cells];
  let sun = field.sun;
  for (const plant of cells) if (plant?.kind === 'X') sun += SUNFLOWER_INCOME;

  const horde = field.zombies.map((zombie) => ({ ...zombie }));
  cells.forEach((plant, at) => {
    if (plant?.kind !== 'W' && plant?.kind !== 'S') return;
    const row = Math.floor(at / cols);
    const col = at % cols;
    const lit = col + 1 < cols && cells[at + 1]?.kind === 'H' ? 1 : 0;
    const reach = plant.kind === 'S' ? 1 : 0;
    for (let r = Math.max(0, row - reach); r <= Math.min(rows - 1, row + reach); r++) {
      // The left-most one at or right of the shooter, the first to arrive if several; it may be dead already.
      let target: Zombie | undefined;
      for (const zombie of horde) {
        if (zombie.row === r && zombie.col >= col && (!target || zombie.col < target.col)) target = zombie;
      }
      if (target) target.hp -= r === row ? 1 + lit : 1;
    }
  });

  let lost: number | null = null;
  const alive = horde.filter((zombie) => zombie.hp > 0);
  const bitten = new Map<number, number>();
  for (const zombie of alive) {
    const at = zombie.row * cols + zombie.col;
    if (cells[at]) bitten.set(at, (bitten.get(at) ?? 0) + zombies[zombie.kind].damage);
    else if (--zombie.col < 0) lost ??= zombie.row;
  }
  for (const [at, damage] of bitten) {
    const plant = cells[at]!;
    cells[at] = plant.hp > damage ? { ...plant, hp: plant.hp - damage } : null;
  }
  if (lost !== null) return { ...field, sun, cells, zombies: alive.filter(({ col }) => col >= 0), lost };
  return { turn: field.turn + 1, sun: sun + INCOME, cells, zombies: [...alive, ...spawns], lost };
}

/** A plant in a free cell, or a chili's fire; the cost is taken. The caller has checked that it may be. */
export function placed(config: PvzConfig, field: Field, kind: PlantKind, row: number, col: number): Field {
  const sun = field.sun - plants[kind].cost;
  if (kind === 'F') return { ...field, sun, zombies: field.zombies.filter((zombie) => zombie.row !== row) };
  const cells = [...field.cells];
  cells[row * config.cols + col] = { kind, hp: plants[kind].hp };
  return { ...field, sun, cells };
}
