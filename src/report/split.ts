// One game and split: its arms' curves, the comparisons between them, and what each says in words.
import { compareArms, FROZEN, pairsOf } from './arms.ts';
import { comparisonPoints, replicatePoints } from './compare.ts';
import { factsOf, type ReportContext, type Setup } from './context.ts';
import { armNumbers, type Place, replicatesOf } from './curves.ts';
import type { Table } from './table.ts';
import type { ArmName, ArmReport, Comparison, SplitReport } from './types.ts';
import { verdict } from './verdict.ts';

export function splitReport(table: Table, game: string, setup: Setup, context: ReportContext): SplitReport {
  const facts = factsOf(context, game, setup);
  const { split } = setup;
  const place: Place = {
    table,
    game,
    split,
    replicates: replicatesOf(table, game, split),
    baselines: context.baselines(game, setup),
    scoreStep: facts.scoreStep,
    grammar: facts.grammar,
  };
  const names = table.arms(game).sort(compareArms);
  const arms = names.map((arm): ArmReport => ({ arm, ...declarationOf(table, arm), ...armNumbers(place, arm) }));
  const shown = arms.filter((arm) => arm.points.length > 0);
  return {
    split,
    instances: instancesOf(place, names),
    scoreBounds: facts.scoreBounds,
    scoreStep: facts.scoreStep,
    baselines: place.baselines,
    xs: table.xs(game, split),
    arms: shown,
    comparisons: comparisonsOf(
      place,
      shown.map((arm) => arm.arm),
      facts.unit,
    ),
  };
}

function declarationOf({ roster }: Table, arm: ArmName) {
  return {
    family: roster.family(arm),
    title: roster.title(arm),
    label: roster.isOracle(arm) ? ('oracle-fed' as const) : ('hidden-reward' as const),
    note: roster.note(arm),
    control: roster.isControl(arm),
  };
}

function instancesOf({ table, game, split }: Place, arms: readonly ArmName[]): number {
  const found = new Set<string>();
  for (const arm of arms) {
    for (const runSeed of table.seeds(game, arm)) {
      for (const x of table.xs(game, split)) {
        const served = table.cell({ game, split, arm, runSeed, x });
        for (const plays of served?.cell.plays.values() ?? []) for (const p of plays.values()) found.add(p.instance);
      }
    }
  }
  return found.size;
}

function comparisonsOf(place: Place, arms: readonly ArmName[], unit: string): Comparison[] {
  const { table, game } = place;
  const comparisons = pairsOf(arms, table.roster).map(({ arm, against, role }): Comparison => {
    const points = comparisonPoints(place, arm, against);
    const final = points.at(-1) ?? null;
    const words = {
      title: table.roster.title(arm),
      against: against === FROZEN ? 'frozen' : lowerFirst(table.roster.title(against)),
      unit,
      runSeeds: table.seeds(game, arm).length,
    };
    return { arm, against, role, points, final, verdict: verdict(final, words) };
  });
  if (arms.includes(FROZEN)) {
    const runSeeds = table.seeds(game, FROZEN).length;
    replicatePoints(place, FROZEN).forEach((point, i) => {
      const words = { title: `Frozen, replicate ${i + 1}`, against: 'replicate 0', unit, runSeeds };
      comparisons.push({
        arm: FROZEN,
        against: FROZEN,
        role: 'replicate',
        replicate: i + 1,
        points: [point],
        final: point,
        verdict: verdict(point, words),
      });
    });
  }
  return comparisons;
}

const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1);
