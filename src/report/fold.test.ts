import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { stream } from '../../games/rng.ts';
import { syntheticContext, syntheticRun } from '../../test/synthetic.ts';
import { firstBreak } from '../log/chain.ts';
import { type EpisodeEvent, RunEvent } from '../log/events.ts';
import type { ReportContext } from './context.ts';
import { fold, foldLogs } from './fold.ts';
import type { Report } from './types.ts';

const events = syntheticRun(1);
const report = fold(events, syntheticContext);
const strict = (r: Report) => r.games[0]!.splits[0]!;
const armOf = (r: Report, name: string) => strict(r).arms.find((arm) => arm.arm === name)!;
const comparison = (r: Report, arm: string, against: string) =>
  strict(r).comparisons.find((c) => c.arm === arm && c.against === against);

test('the synthetic log is valid and chained', () => {
  for (const event of events) expect(v.safeParse(RunEvent, event).issues).toBeUndefined();
  expect(firstBreak(events)).toBeNull();
  expect(syntheticRun(1)).toEqual(events);
});

describe('curves', () => {
  test('x = 0 is shared, frozen is constant over x', () => {
    const training = armOf(report, 'training');
    expect(training.points.map((p) => p.x)).toEqual([0, 3, 6, 9, 12]);
    expect(training.points[0]).toMatchObject({ shared: true, n: 30, unit: 'instances' });
    const frozen = armOf(report, 'frozen');
    expect(new Set(frozen.points.map((p) => p.mean)).size).toBe(1);
    expect(training.points[0]!.mean).toBe(frozen.points[0]!.mean);
  });

  test('means and metrics are those of the episodes', () => {
    const plays = (x: number, pathway: string) =>
      events.filter(
        (e): e is EpisodeEvent =>
          e.type === 'episode' &&
          e.phase === 'strict' &&
          e.checkpoint === x &&
          e.pathway === pathway &&
          e.replicate === 0,
      );
    const mean = (list: EpisodeEvent[]) => list.reduce((sum, e) => sum + e.score, 0) / list.length;
    const training = armOf(report, 'training');
    expect(training.points.at(-1)!.mean).toBeCloseTo(mean(plays(12, 'training')), 9);
    const ys = training.points.map((p) => p.mean!);
    expect(training.metrics.avg).toBeCloseTo(ys.reduce((a, b) => a + b, 0) / 5, 9);
    expect(training.metrics.finalChange).toBeCloseTo(ys[4]! - ys[0]!, 9);
    expect(training.metrics.normalisedLast).toBeCloseTo((ys[4]! - 2) / 5, 9);
    expect(training.metrics.episodes).toBe(150);
    expect(training.metrics.success).toBeGreaterThan(0);
    expect(training.metrics.validity).toBeGreaterThan(0.9);
    expect(training.metrics.validity).toBeLessThan(1);
    // Refused for the state's sake, but of the game's form; with another grammar, of no form.
    expect(training.metrics.wellFormed).toBe(1);
    const grammar = (source: string | null): ReportContext => ({
      ...syntheticContext,
      facts: (game, setup) => ({ ...syntheticContext.facts(game, setup)!, grammar: source }),
    });
    const other = armOf(fold(events, grammar('DOWN')), 'training').metrics;
    expect(other.wellFormed).toBeCloseTo(other.validity!, 12);
    expect(armOf(fold(events, grammar(null)), 'training').metrics.wellFormed).toBeNull();
    expect(training.points[1]!.tokens).toBe(8);
  });

  test('a failed checkpoint is skipped and its neighbours joined', () => {
    const failed = fold(syntheticRun(1, { failed: ['training 6'] }), syntheticContext);
    const training = armOf(failed, 'training');
    expect(training.points[2]).toMatchObject({ x: 6, mean: null, failed: 'synthetic failure' });
    const ys = training.points.filter((p) => p.mean !== null).map((p) => p.mean!);
    expect(ys).toHaveLength(4);
    expect(training.metrics.avg).toBeCloseTo(ys.reduce((a, b) => a + b, 0) / 4, 9);
    expect(comparison(failed, 'training', 'frozen')!.points.map((p) => p.x)).toEqual([3, 9, 12]);
  });
});

describe('comparisons', () => {
  test('a true effect is found, an absent one is not', () => {
    const training = comparison(report, 'training', 'frozen')!;
    expect(training.verdict.kind).toBe('helps');
    expect(training.verdict.sentence).toMatch(/^Training: \+\d\.\d apples over frozen \(95 % /);
    expect(training.final!.p!.value).toBeLessThan(0.05);
    expect(training.final!.mean).toBeCloseTo(armOf(report, 'training').metrics.finalChange!, 9);
    expect(comparison(report, 'history', 'frozen')!.verdict.kind).toBe('cannot-tell');
    const replicates = strict(report).comparisons.filter((c) => c.role === 'replicate');
    expect(replicates.map((c) => c.replicate)).toEqual([1, 2, 3]);
  });

  test('which pairs are looked at', () => {
    const names = ['frozen', 'frozen-sharp', 'history', 'history-ranked', 'history-shuffled', 'summary'];
    const training = { name: 'training', controls: ['frozen', 'training-random', 'frozen-sharp'] };
    const arms = [...names, 'training-random', 'training@oracle-judge'].map((name) => ({ name }));
    arms.push(training);
    const found = fold(syntheticRun(2, { arms, strict: 6 }), syntheticContext);
    const pairs = strict(found).comparisons.filter((c) => c.role !== 'replicate');
    const against = (arm: string) => pairs.filter((c) => c.arm === arm).map((c) => c.against);
    expect(against('training')).toEqual(['frozen', 'frozen-sharp', 'training-random']);
    expect(against('history')).toEqual(['frozen', 'history-shuffled']);
    expect(against('history-ranked')).toEqual(['frozen', 'history-shuffled']);
    expect(against('history-shuffled')).toEqual(['frozen']);
    expect(against('frozen-sharp')).toEqual(['frozen']);
    expect(against('summary')).toEqual(['frozen', 'history']);
    expect(against('training@oracle-judge')).toEqual(['frozen', 'training']);
    expect(found.games[0]!.bottleneck).not.toBeNull();
  });

  test('clusters and run seeds are the units where there are some', () => {
    const clustered = fold(syntheticRun(3, { clusters: 7 }), syntheticContext);
    expect(comparison(clustered, 'training', 'frozen')!.final).toMatchObject({ unit: 'clusters', units: 7, n: 30 });
    const seeds = fold(syntheticRun(3, { seeds: [1, 2, 3, 4, 5, 6], strict: 8 }), syntheticContext);
    expect(seeds.standing).toBe('claim');
    const training = comparison(seeds, 'training', 'frozen')!;
    expect(training.final).toMatchObject({ unit: 'runs', units: 6, n: 48 });
    expect(training.verdict.standing).toBe('claim');
    expect(report.standing).toBe('demonstration');
  });
});

describe('the rest', () => {
  test('overlap, judging, ledger, coupling', () => {
    expect(report.games[0]!.overlap).toEqual({ exploration: 12, strict: 30, shared: 0, exempt: false });
    const row = report.judging.find((r) => r.arm === 'training' && r.phase === 'explore')!;
    expect(row.n + row.unparsed).toBe(48);
    expect(row.agreement!.mean + row.over! + row.under!).toBeCloseTo(1, 9);
    const update = report.ledger.find((r) => r.arm === 'training' && r.role === 'update')!;
    expect(update).toMatchObject({ optimizerSteps: 12, trainedTokens: 1200 });
    const played = report.ledger.find((r) => r.arm === 'training' && r.role === 'explore')!;
    // Four steps an episode, prompts of 3, 13, 23, 33 tokens.
    expect(played).toMatchObject({ episodes: 12, calls: 48, tokensIn: 12 * 72, tokensFresh: 144, tokensOut: 192 });
    // Two arms of four blocks; the last block has no next one.
    expect(report.coupling.blocks).toBe(8);
    expect(report.coupling.rows[0]).toMatchObject({ game: 'all', agreement: { n: 6 }, agreementSame: { n: 8 } });
    expect(report.complete).toBe(true);
    expect(fold(events.slice(0, -300), syntheticContext).complete).toBe(false);
  });

  test('oracle arms: labelled, judged by what they were given, and the link that recovers most is named', () => {
    const arms = [
      { name: 'frozen' },
      { name: 'training', effect: 0 },
      { name: 'training@oracle-judge', effect: 3, label: 'oracle-fed' as const },
      { name: 'training@oracle-experience', effect: 1.5, label: 'oracle-fed' as const },
    ];
    const found = fold(syntheticRun(4, { arms }), syntheticContext);
    expect(armOf(found, 'training@oracle-judge')).toMatchObject({ label: 'oracle-fed', family: 'training' });
    const { link, links, sentence } = found.games[0]!.bottleneck!;
    expect(link).toBe('judge');
    expect(links).toHaveLength(2);
    expect(sentence).toMatch(/^The bottleneck of training is its judge: .* \+\d\.\d apples \(95 % /);
    const judged = found.judging.find((r) => r.arm === 'training@oracle-judge' && r.source === 'judge')!;
    expect(judged.agreement!.mean).toBe(1);
    expect(report.games[0]!.bottleneck).toBeNull();
  });

  test('transfer: an adapter of one game on another, minus frozen there', () => {
    const home = syntheticRun(1, { games: ['snake-v1'] });
    const saved = home.findLast((e) => e.type === 'adapter.saved')!;
    const away = syntheticRun(1, {
      games: ['tetris-v1'],
      from: { adapter: saved.hash },
      explore: 0,
      arms: [{ name: 'frozen' }, { name: 'training', effect: -2 }],
    });
    const { transfer, games } = foldLogs([home, away], syntheticContext);
    expect(games.map((game) => game.game)).toEqual(['snake-v1']);
    expect(transfer!.games).toEqual(['snake-v1', 'tetris-v1']);
    const [same, other] = transfer!.cells;
    expect(same).toMatchObject({ trainedOn: 'snake-v1', evaluatedOn: 'snake-v1' });
    expect(same!.delta.mean).toBeCloseTo(comparison(report, 'training', 'frozen')!.final!.mean, 9);
    expect(other).toMatchObject({ trainedOn: 'snake-v1', evaluatedOn: 'tetris-v1', delta: { n: 30 } });
    expect(other!.delta.hi).toBeLessThan(0);
    expect(other!.normalised).toBeCloseTo(other!.delta.mean / 5, 9);
    expect(report.transfer).toBeNull();
  });

  test('a constant judge is flagged', () => {
    const found = fold(syntheticRun(1, { constantScore: 1 }), syntheticContext);
    expect(found.judging.every((row) => row.constant && row.positive === 1)).toBe(true);
  });
});

describe('determinism', () => {
  test('the same bytes whatever the order of lines and logs; no numbers that JSON cannot hold', () => {
    const shuffled = stream('lines').shuffle(events);
    expect(JSON.stringify(fold(shuffled, syntheticContext))).toBe(JSON.stringify(report));
    const one = syntheticRun(1, { seeds: [1] });
    const two = syntheticRun(2, { seeds: [2] });
    const three = syntheticRun(3, { seeds: [3], games: ['tetris-v1'] });
    const forth = JSON.stringify(foldLogs([one, two, three], syntheticContext));
    expect(JSON.stringify(foldLogs([three, two, one], syntheticContext))).toBe(forth);
    expect(JSON.parse(forth)).toEqual(foldLogs([one, two, three], syntheticContext));
    expect(forth).not.toMatch(/-0[,}\]]/);
  });

  test('logs that do not belong together are refused by name', () => {
    const other = (options: Parameters<typeof syntheticRun>[1]) => () =>
      foldLogs([events, syntheticRun(2, { seeds: [2], ...options })], syntheticContext);
    expect(other({ strict: 20 })).toThrow(/setting strict/);
    expect(other({ model: 'another' })).toThrow(/model/);
    expect(other({})).not.toThrow();
    expect(other({ seeds: [1] })).toThrow(/occurs twice/);
    expect(() => fold(events.slice(1), syntheticContext)).toThrow(/run.opened/);
  });

  test('a log under way folds at every length', () => {
    for (let length = 1; length < events.length; length += 17) {
      expect(() => fold(events.slice(0, length), syntheticContext)).not.toThrow();
    }
  });
});
