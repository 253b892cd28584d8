// The grammar `X 1 0; W 0 1` (or nothing, or `-`), its reading, and what a state allows. Repairs nothing.
import { matchAction } from '../grammar.ts';
import { plantKinds, plants, type PlantKind, type PvzConfig } from './config.ts';
import { placed, type Field } from './turn.ts';

const number = '(?:0|[1-9]\\d?)';
const item = `[XWSJHF] ${number} ${number}`;
export const grammar = `(?:-|${item}(?:; ?${item})*)?`;

export type Placement = { kind: PlantKind; row: number; col: number };

/** The placements, or null where the text does not parse. */
export function parse(action: string): Placement[] | null {
  if (!matchAction(grammar, action)) return null;
  return [...action.matchAll(/([a-z]) (\d+) (\d+)/gi)].map(([, kind, row, col]) => ({
    kind: kind!.toUpperCase() as PlantKind,
    row: Number(row),
    col: Number(col),
  }));
}

export const write = (placements: readonly Placement[]) =>
  placements.map(({ kind, row, col }) => `${kind} ${row} ${col}`).join('; ') || '-';

/** Why a placement may not be made, or null. */
export function refusal(config: PvzConfig, field: Field, { kind, row, col }: Placement): string | null {
  if (row >= config.rows || col >= config.cols) return 'out of range';
  if (field.cells[row * config.cols + col]) return 'occupied';
  return field.sun < plants[kind].cost ? 'not enough sun' : null;
}

/** The single placements that the field allows, plants in the order of the table, cells row by row. */
export function allowed(config: PvzConfig, field: Field): Placement[] {
  return plantKinds
    .filter((kind) => plants[kind].cost <= field.sun)
    .flatMap((kind) =>
      field.cells.flatMap((plant, at) =>
        plant ? [] : [{ kind, row: Math.floor(at / config.cols), col: at % config.cols }],
      ),
    );
}

const MOST = 2000;

/** Every set of placements that the sun pays for, once, in the order of the table; null where there are more than 2,000. */
export function actions(config: PvzConfig, field: Field): string[] | null {
  const list = ['-'];
  const single = allowed(config, field);
  const extend = (from: number, chosen: Placement[], at: Field): boolean => {
    for (let i = from; i < single.length; i++) {
      const next = single[i]!;
      // A chili leaves its cell free, so the same cell may be named again; two in one row would be a waste, yet legal.
      if (refusal(config, at, next)) continue;
      const more = [...chosen, next];
      list.push(write(more));
      if (list.length > MOST) return false;
      const again = next.kind === 'F' ? i : i + 1;
      if (!extend(again, more, placed(config, at, next.kind, next.row, next.col))) return false;
    }
    return true;
  };
  return extend(0, [], field) ? list : null;
}
