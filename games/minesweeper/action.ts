// Actions: `uncover (r,c)`, in the paper's preset also `flag` and `unflag`. Refuses with one reason; repairs nothing.
import type { Outcome } from '../contract.ts';
import { matchAction } from '../grammar.ts';
import type { MinesweeperConfig } from './config.ts';
import { isCovered, open } from './field.ts';
import { allFlagged, allOpen, type MinesweeperState } from './state.ts';

const number = '(?:0|[1-9]\\d?)';

export function grammar(config: MinesweeperConfig): string {
  const verb = config.flags ? '(?<verb>uncover|flag|unflag)' : '(?<verb>uncover)';
  return `${verb}(?: ${number}, ?${number}| ?\\(${number}, ?${number}\\))`;
}

export const write = (config: MinesweeperConfig, verb: string, cell: number) =>
  `${verb} (${Math.floor(cell / config.cols)},${cell % config.cols})`;

export function actions(config: MinesweeperConfig, { shown, mines }: MinesweeperState): string[] {
  const cells = Array.from(shown, (_, cell) => cell);
  const covered = cells.filter((cell) => shown[cell] === '?');
  const flagged = cells.filter((cell) => shown[cell] === 'F');
  const list = covered.map((cell) => write(config, 'uncover', cell));
  if (!config.flags) return list;
  if (flagged.length < mines.length) list.push(...covered.map((cell) => write(config, 'flag', cell)));
  return [...list, ...flagged.map((cell) => write(config, 'unflag', cell))];
}

export function step(config: MinesweeperConfig, state: MinesweeperState, action: string): Outcome<MinesweeperState> {
  const match = matchAction(grammar(config), action);
  const refuse = (reason: string) => ({ valid: false, reason }) as const;
  if (!match) return refuse(`not of the form ${config.flags ? 'uncover/flag/unflag' : 'uncover'} (row,col)`);
  const verb = match.groups!.verb!.toLowerCase();
  const [row, col] = action.match(/\d+/g)!.map(Number);
  if (row! >= config.rows || col! >= config.cols) return refuse('out of range');

  const cell = row! * config.cols + col!;
  const mark = state.shown[cell]!;
  if (!isCovered(mark)) return refuse('already open');
  if (verb === 'unflag') return mark === 'F' ? after(put(state, cell, '?')) : refuse('no flag there');
  if (mark === 'F') return refuse('flagged');
  if (verb === 'flag') {
    const flags = [...state.shown].filter((other) => other === 'F').length;
    return flags < state.mines.length ? after(put(state, cell, 'F')) : refuse('no flags left');
  }

  const mines = new Set(state.mines);
  if (!mines.has(cell)) return after({ ...state, shown: open(config, mines, state.shown, cell) });
  const hit = put(state, cell, 'X');
  if (state.lives === 0) return { valid: true, state: hit, feedback: 'a mine', terminated: true };
  return { valid: true, state: { ...hit, lives: hit.lives - 1 }, feedback: 'a mine', terminated: false };
}

const after = (state: MinesweeperState) =>
  ({ valid: true, state, feedback: '', terminated: allOpen(state) || allFlagged(state) }) as const;

const put = (state: MinesweeperState, cell: number, mark: string): MinesweeperState => ({
  ...state,
  shown: state.shown.slice(0, cell) + mark + state.shown.slice(cell + 1),
});
