// What the agent sees: the drawn board, and the short line, which is computed from the board's text and spells cells in
// the answer's own words. The line lists at most three free cells a row and sums up its zombies.
import { plantKinds, plants, zombieKinds, type PlantKind, type PvzConfig, type ZombieKind } from './config.ts';
import type { Field } from './turn.ts';

export function board(config: PvzConfig, field: Field): string {
  const cell = (at: number) => {
    const plant = field.cells[at];
    const here = field.zombies.filter(({ row, col }) => row * config.cols + col === at);
    return [...(plant ? [plant] : []), ...here].map(({ kind, hp }) => kind + hp).join('+') || '.';
  };
  const texts = field.cells.map((_, at) => cell(at));
  const width = Math.max(...texts.map((text) => text.length));
  const rows = Array.from({ length: config.rows }, (_, row) =>
    texts
      .slice(row * config.cols, (row + 1) * config.cols)
      .map((text) => text.padEnd(width))
      .join(' ')
      .trimEnd(),
  );
  return [`turn ${field.turn} of ${config.stepCap} sun ${field.sun}`, ...rows].join('\n');
}

interface Seen {
  turn: number;
  sun: number;
  rows: { kind: PlantKind | ZombieKind; hp: number; col: number }[][];
}

/** The numbers and the plants and zombies of each row, read back from a board's text. */
export function readBoard(text: string): Seen {
  const [head, ...rows] = text.split('\n');
  const [turn, , sun] = head!.match(/\d+/g)!.map(Number);
  return {
    turn: turn!,
    sun: sun!,
    rows: rows.map((row) =>
      row.split(/ +/).flatMap((cell, col) =>
        [...cell.matchAll(/([A-Z])(\d+)/g)].map(([, kind, hp]) => ({
          kind: kind as PlantKind | ZombieKind,
          hp: Number(hp),
          col,
        })),
      ),
    ),
  };
}

/** Free cells listed a row. */
export const LISTED = 3;
const isPlant = (kind: string) => (plantKinds as string[]).includes(kind);
const isZombie = (kind: string) => (zombieKinds as string[]).includes(kind);

export function line(config: PvzConfig, text: string): string {
  const { turn, sun, rows } = readBoard(text);
  const buys = plantKinds.filter((kind) => plants[kind].cost <= sun);
  const parts = rows.map((things, row) => {
    const plants = things.filter(({ kind }) => isPlant(kind));
    const zombies = things.filter(({ kind }) => isZombie(kind));
    const free = Array.from({ length: config.cols }, (_, col) => col).filter(
      (col) => !plants.some((plant) => plant.col === col),
    );
    const near = Math.min(...zombies.map(({ col }) => col));
    const hp = zombies.reduce((sum, zombie) => sum + zombie.hp, 0);
    return [
      ...plants.map(({ kind }) => kind),
      `free ${free.slice(0, LISTED).map((col) => `${row} ${col}`).join(', ') || 'none'}`, // prettier-ignore
      ...(zombies.length > 0 ? [`zombie ${near} hp ${hp}`] : []),
    ].join(' ');
  });
  return `turn ${turn} sun ${sun} buy ${buys.join(' ') || 'none'} ; ${parts.join(' ; ')}`;
}
