// The report of a real (scripted) run, as run.closed stores it: from the cycle to the tables.
import { beforeAll, expect, test } from 'vitest';
import { smallRun, smallSettings } from '../src/gym/testing.ts';
import type { EpisodeEvent, RunEvent } from '../src/log/events.ts';
import { closingReport, reportOf } from '../src/report/defaults.ts';
import { renderHtml } from '../src/report/render/html.ts';
import { renderText } from '../src/report/render/text.ts';
import type { Report } from '../src/report/types.ts';

let events: RunEvent[];
let report: Report;
beforeAll(async () => {
  events = await smallRun({ ...smallSettings, strict: 7 });
  report = reportOf(events);
});

test('every arm is there, with its label, and the run is complete', () => {
  expect(report.complete).toBe(true);
  expect(report.games.map((game) => game.game)).toEqual(['snake-v1', 'trust-v1']);
  for (const game of report.games) {
    const arms = game.splits[0]!.arms;
    expect(arms.map((arm) => arm.arm).sort()).toEqual([...(smallSettings.pathways as string[])].sort());
    for (const arm of arms) expect(arm.label === 'oracle-fed', arm.arm).toBe(/oracle|sharp/.test(arm.arm));
    expect(arms.every((arm) => arm.points[0]!.x === 0)).toBe(true);
  }
});

test('means are those of the verifier’s scores, instances are disjoint, Trust is clustered by opponent', () => {
  const [snake, trust] = report.games;
  const played = events.filter(
    (e): e is EpisodeEvent =>
      e.type === 'episode' &&
      e.game === 'snake-v1' &&
      e.phase === 'strict' &&
      e.pathway === 'history' &&
      e.checkpoint === 4,
  );
  const mean = played.reduce((sum, e) => sum + e.score, 0) / played.length;
  const history = snake!.splits[0]!.arms.find((arm) => arm.arm === 'history')!;
  expect(history.points.at(-1)!.mean).toBeCloseTo(mean, 9);
  expect(snake!.overlap).toMatchObject({ shared: 0, exempt: false });
  expect(trust!.overlap.exempt).toBe(true);
  expect(trust!.splits.map((split) => split.split)).toEqual(['strict', 'unseen']);
});

test('frozen against itself finds nothing; oracle judges agree with the verifier', () => {
  for (const game of report.games) {
    const replicates = game.splits[0]!.comparisons.filter(({ role }) => role === 'replicate');
    expect(replicates.length).toBeGreaterThan(0);
    for (const { verdict } of replicates) expect(verdict.kind).toBe('cannot-tell');
    expect(game.bottleneck!.links.map((link) => link.link).sort()).toEqual(['experience', 'guidance', 'judge']);
  }
  const judged = report.judging.filter((row) => row.source === 'judge');
  expect(judged.length).toBeGreaterThan(0);
  for (const row of judged) expect(row).toMatchObject({ agreement: { mean: 1 }, nmae: 0, unparsed: 0 });
});

test('what closes the log is plain JSON, the same each time, and renders', () => {
  expect(closingReport(events)).toEqual(closingReport(events));
  expect(closingReport(events).report).toEqual(report);
  expect(renderText(report)).not.toMatch(/NaN|undefined/);
  expect(renderHtml(report)).not.toMatch(/NaN|undefined/);
});
