// What the agent sees: the drawn board, and the short line, which is computed from the board's text and spells cells in
// the answer's own words. The line counts a row's plants, lists at most three free columns and sums up its zombies.
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

/** Free columns listed a row. */
export const LISTED = 3;

export function line(config: PvzConfig, text: string): string {
  const { turn, sun, rows } = readBoard(text);
  const buys = plantKinds.filter((kind) => plants[kind].cost <= sun);
  const parts = rows.map((things, row) => {
    const planted = plantKinds.flatMap((kind) => {
      const count = things.filter((thing) => thing.kind === kind).length;
      return count > 0 ? [`${kind}${count}`] : [];
    });
    const zombies = things.filter(({ kind }) => (zombieKinds as string[]).includes(kind));
    const taken = new Set(things.filter((thing) => !zombies.includes(thing)).map(({ col }) => col));
    const free = Array.from({ length: config.cols }, (_, col) => col).filter((col) => !taken.has(col));
    const near = Math.min(...zombies.map(({ col }) => col));
    const hp = zombies.reduce((sum, zombie) => sum + zombie.hp, 0);
    return [
      row,
      ...planted,
      ...(free.length > 0 ? ['free', ...free.slice(0, LISTED)] : []),
      ...(zombies.length > 0 ? [`zombie ${near} hp ${hp}`] : []),
    ].join(' ');
  });
  return `turn ${turn} sun ${sun} buy ${buys.join(' ') || 'none'} ; ${parts.join(' ; ')}`;
}
