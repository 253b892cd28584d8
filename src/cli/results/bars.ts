// What a small agent must show and fail at, game by game, read off the reports. Knows no run.
import { formatEstimate } from '../../report/format.ts';
import { armText } from '../../report/render/cells.ts';
import type { Comparison, GameReport, JudgingRow, Report, SplitReport } from '../../report/types.ts';

export interface GameBars {
  title: string;
  /** Of frozen: 0 = random, 1 = expert; shares of strict steps with an answer of the game's form, and a legal one. */
  normalised: number | null;
  wellFormed: number | null;
  valid: number | null;
  /** By arm: the last difference to frozen and to its controls. */
  differences: {
    arm: string;
    against: string;
    /** For people: `Training − Frozen`. */
    title: string;
    text: string;
    verdict: 'helps' | 'hurts' | 'cannot-tell';
  }[];
  /** Agreement of the exploring training arm's own scores with the rewards, and what independent scores would give. */
  agreement: { text: string; lo: number | null; hi: number | null; chance: number | null } | null;
  bottleneck: string | null;
}

const ARMS = ['history', 'history-ranked', 'summary', 'training'];

export function barsOf(report: Report): GameBars[] {
  return report.games.map((game) => {
    const split = game.splits.find((one) => one.split === 'strict')!;
    const frozen = split.arms.find((arm) => arm.arm === 'frozen');
    return {
      title: game.title,
      normalised: frozen?.metrics.normalisedLast ?? null,
      wellFormed: frozen?.metrics.wellFormed ?? null,
      valid: frozen?.metrics.validity ?? null,
      differences: split.comparisons
        .filter(({ arm, role }) => ARMS.includes(arm) && (role === 'frozen' || role === 'control'))
        .flatMap((one) => differenceOf(split, one)),
      agreement: agreementOf(report, game),
      bottleneck: game.bottleneck?.sentence ?? null,
    };
  });
}

function differenceOf(split: SplitReport, { arm, against, final, verdict }: Comparison): GameBars['differences'] {
  if (!final) return [];
  const title = `${armText(split, arm)} − ${armText(split, against)}`;
  return [{ arm, against, title, text: formatEstimate(final, { signed: true }), verdict: verdict.kind }];
}

function agreementOf(report: Report, game: GameReport): GameBars['agreement'] {
  const row = report.judging.find((one) => one.game === game.game && one.arm === 'training' && one.phase === 'explore');
  if (!row?.agreement) return null;
  const { mean, lo, hi } = row.agreement;
  return { text: formatEstimate({ mean, lo, hi }), lo, hi, chance: chanceOf(row) };
}

/** Agreement of scores that know nothing of the step: P(s>0) P(r>0) + P(s<=0) P(r<=0). */
function chanceOf({ positive, over, under }: JudgingRow): number | null {
  if (positive === null || over === null || under === null) return null;
  const paid = positive - over + under;
  return positive * paid + (1 - positive) * (1 - paid);
}

/** A sentence a bar, with the games that met it. */
export function sentencesOf(all: readonly GameBars[]): string[] {
  const names = (test: (one: GameBars) => boolean) => {
    const met = all.filter(test).map(({ title }) => title);
    return `${met.length} of ${all.length}${met.length > 0 ? ` (${met.join(', ')})` : ''}`;
  };
  const has = (one: GameBars, arms: readonly string[], against: string, kind: string) =>
    one.differences.some((d) => arms.includes(d.arm) && d.against === against && d.verdict === kind);
  const memories = ['history', 'history-ranked', 'summary'];
  return [
    `At least 95 % well-formed: ${names((one) => (one.wellFormed ?? 0) >= 0.95)}; at least 95 % legal, too: ${names((one) => (one.valid ?? 0) >= 0.95)}.`,
    `Base between 0.1 and 0.7 of the way from random to expert: ${names(({ normalised: n }) => n !== null && n >= 0.1 && n <= 0.7)}.`,
    `Training lifts: ${names((one) => has(one, ['training'], 'frozen', 'helps'))}; beyond random steps: ${names((one) => has(one, ['training'], 'training-random', 'helps'))}; beyond a sharper sampler: ${names((one) => has(one, ['training'], 'frozen-sharp', 'helps'))}.`,
    `Training hurts: ${names((one) => has(one, ['training'], 'frozen', 'hurts'))}.`,
    `A memory lifts: ${names((one) => has(one, memories, 'frozen', 'helps'))}; history beyond shuffled scores: ${names((one) => has(one, ['history', 'history-ranked'], 'history-shuffled', 'helps'))}.`,
    `Its judge is neither at chance nor perfect: ${names(({ agreement: a }) => a !== null && a.lo !== null && a.hi !== null && a.chance !== null && a.lo > a.chance && a.hi < 1)}.`,
  ];
}
