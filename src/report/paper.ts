// The publication's figures (arXiv 2608.31100, Tables 4-7 and the training run) beside ours, by game.
import { bareName } from '../../games/names.ts';
import figures from './paper.json';
import type { CouplingRow, JudgingRow } from './types.ts';

type Row = readonly [number, number, number, number];

/** Short names of the paper's tables by our game ids, less the version. */
const NAMES: Readonly<Record<string, string>> = {
  chess: 'Chess',
  minesweeper: 'Minesweeper',
  nullify: 'Nullify',
  tetris: 'Tetris',
  snake: 'Snake',
  pvz: 'PvZ',
  trust: 'Trust',
};

export const paperName = (game: string): string | null => NAMES[bareName(game)] ?? null;

/** The paper's agreement, NMAE, over- and under-confidence of a game, over 98 runs of seven models. */
export function paperJudging(game: string): Pick<JudgingRow, 'nmae' | 'over' | 'under'> & { agreement: number | null } {
  const name = paperName(game);
  const row = name === null ? undefined : (figures.self_judging as unknown as Record<string, Row>)[name];
  const [agreement, nmae, over, under] = row ?? [null, null, null, null];
  return { agreement, nmae, over, under };
}

export interface PaperCoupling {
  /** Rank correlation of agreement, and of -NMAE, with the next gain; and the gaps between thirds. */
  agreement: number | null;
  minusNmae: number | null;
  gapAgreement: number | null;
  gapNmae: number | null;
}

export function paperCoupling(game: CouplingRow['game']): PaperCoupling {
  const name = game === 'all' ? 'All' : paperName(game);
  const row = name === null ? undefined : (figures.coupling as unknown as Record<string, Row>)[name];
  const [agreement, minusNmae, gapAgreement, gapNmae] = row ?? [null, null, null, null];
  return { agreement, minusNmae, gapAgreement, gapNmae };
}
