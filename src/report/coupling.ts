// Does better judging lead to more learning? A block's judgement against the change of the held-out score (protocol.md,
// Coupling). Knows the table and the self-judging numbers of a block.
import type { EpisodeEvent } from '../log/events.ts';
import { correlate, type Pair } from './correlation.ts';
import { armCurve, type Place } from './curves.ts';
import { judge } from './judging.ts';
import type { CouplingReport, CouplingRow } from './types.ts';

interface Block {
  agreement: number;
  minusNmae: number | null;
  /** Change over the next block, and over the block itself, in shares of the game's observed range. */
  next: number | null;
  same: number | null;
}

interface GameBlocks {
  game: string;
  blocks: Block[];
  /** A run's agreement and NABA. */
  runs: Pair[];
}

/** `places`: the strict split of each game, with its published bounds of a step's reward. */
export function coupling(places: readonly { place: Place; bounds: [number, number] | null }[]): CouplingReport {
  const games = places.map(({ place, bounds }) => blocksOf(place, bounds));
  const all = { game: 'all', blocks: games.flatMap((g) => g.blocks), runs: games.flatMap((g) => g.runs) };
  const rows = all.blocks.length > 0 ? [all, ...games.filter((g) => g.blocks.length > 0)].map(rowOf) : [];
  return { rows, blocks: all.blocks.length };
}

function rowOf({ game, blocks, runs }: GameBlocks): CouplingRow {
  const pairs = (judged: 'agreement' | 'minusNmae', change: 'next' | 'same') =>
    correlate(blocks.map((b) => [b[judged], b[change]]).filter((p): p is [number, number] => !p.includes(null)));
  const { n, pearson, spearman } = correlate(runs);
  return {
    game,
    agreement: pairs('agreement', 'next'),
    minusNmae: pairs('minusNmae', 'next'),
    agreementSame: pairs('agreement', 'same'),
    minusNmaeSame: pairs('minusNmae', 'same'),
    naba: { n, pearson, spearman },
  };
}

/**
 * Block k: an arm's exploration episodes x_(k-1) <= index < x_k. Same: y_k - y_(k-1), the checkpoint that its update
 * leads to. Next: y_(k+1) - y_k. Both divided by the range of the game's checkpoint means over arms and run seeds.
 */
function blocksOf(place: Place, bounds: [number, number] | null): GameBlocks {
  const { table, game } = place;
  const runs: { curve: [number, number][]; episodes: readonly EpisodeEvent[]; naba: number | null }[] = [];
  for (const arm of table.arms(game).filter((name) => !table.roster.isConstant(name))) {
    for (const runSeed of table.seeds(game, arm)) {
      const { points, metrics } = armCurve(place, arm, [runSeed]);
      const curve = points.filter((p) => p.mean !== null).map((p): [number, number] => [p.x, p.mean!]);
      runs.push({ curve, episodes: table.explorationOf(game, arm, runSeed), naba: metrics.naba });
    }
  }
  const ys = runs.flatMap((run) => run.curve.map(([, y]) => y));
  const range = Math.max(...ys) - Math.min(...ys);
  const found: GameBlocks = { game, blocks: [], runs: [] };
  if (!(range > 0)) return found;
  for (const { curve, episodes, naba } of runs) {
    for (let k = 1; k < curve.length; k++) {
      const judged = judgedIn(episodes, curve[k - 1]![0], curve[k]![0], bounds);
      if (!judged.agreement) continue;
      found.blocks.push({
        agreement: judged.agreement.mean,
        minusNmae: judged.nmae === null ? null : -judged.nmae,
        same: (curve[k]![1] - curve[k - 1]![1]) / range,
        next: k + 1 < curve.length ? (curve[k + 1]![1] - curve[k]![1]) / range : null,
      });
    }
    const whole = judgedIn(episodes, 0, Infinity, bounds).agreement;
    if (whole && naba !== null && curve.length > 1) found.runs.push([whole.mean, naba]);
  }
  return found;
}

function judgedIn(episodes: readonly EpisodeEvent[], from: number, to: number, bounds: [number, number] | null) {
  const inside = episodes.filter((episode) => episode.index >= from && episode.index < to);
  const steps = inside.flatMap((e) => e.steps.map((s) => ({ s: s.selfScore, r: s.reward, episode: String(e.index) })));
  return judge(steps, bounds);
}
