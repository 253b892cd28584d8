// What the agent sees: the drawn field, and a short line that groups the covered cells by what the numbers beside them
// say. The line is computed from the board's text; its groups are single-number deductions, so it hands some over.
import type { MinesweeperConfig } from './config.ts';
import { isCovered, isNumber, neighbours } from './field.ts';

export function board(config: MinesweeperConfig, shown: string, mines: number, lives: number): string {
  const rows = Array.from({ length: config.rows }, (_, row) =>
    [...shown.slice(row * config.cols, (row + 1) * config.cols)].join(' '),
  );
  return [`mines ${mines} lives ${lives}`, ...rows].join('\n');
}

/** The header's numbers and the marks, read back from a board's text. */
export function readBoard(text: string): { mines: number; lives: number; shown: string } {
  const [head, ...rows] = text.split('\n');
  const [mines, lives] = head!.match(/\d+/g)!.map(Number);
  return { mines: mines!, lives: lives!, shown: rows.join('').replaceAll(' ', '') };
}

/** From the best option to the worst, as far as single numbers tell. */
export const groups = ['safe', 'low', 'far', 'half', 'high', 'mine'] as const;
export type Group = (typeof groups)[number];

/**
 * `mine`: a number needs every covered cell left beside it. `safe`: a number has all its mines beside it. Both repeated
 * until nothing changes. Else the highest share (mines a number still needs / covered cells left beside it): `low`
 * below 0.4, `half` up to 0.6, `high` above; `far`: no number beside it. A flag is treated as a covered cell.
 */
export function grouped(config: MinesweeperConfig, shown: string): Map<number, Group> {
  const near = neighbours(config);
  const group = new Map<number, Group>();
  const numbers = [...shown].flatMap((mark, cell) => (isNumber(mark) ? [cell] : []));
  const left = (cell: number) => {
    const covered = near[cell]!.filter((other) => isCovered(shown[other]!) && !group.has(other));
    const found = near[cell]!.filter((other) => shown[other] === 'X' || group.get(other) === 'mine').length;
    return { covered, need: Number(shown[cell]) - found };
  };
  for (let size = -1; size < group.size;) {
    size = group.size;
    for (const cell of numbers) {
      const { covered, need } = left(cell);
      if (need === 0 || need === covered.length) {
        for (const other of covered) group.set(other, need === 0 ? 'safe' : 'mine');
      }
    }
  }
  const risk = new Map<number, number>();
  for (const cell of numbers) {
    const { covered, need } = left(cell);
    for (const other of covered) risk.set(other, Math.max(risk.get(other) ?? 0, need / covered.length));
  }
  [...shown].forEach((mark, cell) => {
    if (!isCovered(mark) || group.has(cell)) return;
    const share = risk.get(cell);
    group.set(cell, share === undefined ? 'far' : share < 0.4 ? 'low' : share <= 0.6 ? 'half' : 'high');
  });
  return group;
}

export const FAR_LISTED = 6;

/**
 * The cells of a group that the line lists, flagged ones left out. `far` cells are all alike in risk, so only the first
 * of them are listed: those with the fewest neighbours, which open an area most often.
 */
export function listed(config: MinesweeperConfig, shown: string, group: Map<number, Group>, name: Group): number[] {
  const cells = [...shown].flatMap((mark, cell) => (mark === '?' && group.get(cell) === name ? [cell] : []));
  if (name !== 'far') return cells;
  const near = neighbours(config);
  return cells.sort((a, b) => near[a]!.length - near[b]!.length || a - b).slice(0, FAR_LISTED);
}

export function line(config: MinesweeperConfig, text: string): string {
  const { mines, lives, shown } = readBoard(text);
  const group = grouped(config, shown);
  const words = (cells: number[]) => cells.map((cell) => `(${Math.floor(cell / config.cols)},${cell % config.cols})`);
  const parts = groups.flatMap((name) => {
    const cells = listed(config, shown, group, name);
    return cells.length > 0 ? [name, ...words(cells)] : [];
  });
  const flagged = [...shown].flatMap((mark, cell) => (mark === 'F' ? [cell] : []));
  const flags = flagged.length > 0 ? ['flagged', ...words(flagged)] : [];
  return [`mines ${mines} lives ${lives}`, ...parts, ...flags].join(' ');
}
