import { expect, test } from 'vitest';
import { syntheticContext, syntheticRun, type SyntheticArm } from '../../../test/synthetic.ts';
import { runConfig } from '../../gym/config.ts';
import { fold } from '../../report/fold.ts';
import type { TransferTable } from '../../report/types.ts';
import { barsOf, sentencesOf } from './bars.ts';
import { CARRIED, PLAN, SEEDS } from './plan.ts';
import { REAL_PLAN } from './real.ts';
import { realFiles, resultFiles } from './write.ts';

const arms: SyntheticArm[] = [
  { name: 'frozen' },
  { name: 'history-ranked', effect: 1.5, controls: ['frozen', 'history-shuffled'] },
  { name: 'history-shuffled' },
  { name: 'training', effect: 2, controls: ['frozen', 'training-random', 'frozen-sharp'] },
  { name: 'training-random', effect: -2 },
  { name: 'frozen-sharp' },
];
const sectionOf = (name: string, options = {}) => ({
  name,
  report: fold(syntheticRun(4, { arms, seeds: [1, 2, 3, 4, 5, 6], strict: 12, base: 3, ...options }), syntheticContext),
});
const snake = sectionOf('snake');

test('a bar is met where the interval says so, against frozen and against the controls', () => {
  const [bars] = barsOf(snake.report);
  expect(bars).toMatchObject({ title: 'snake', bottleneck: null });
  // 0 = random (2), 1 = expert (7); the invented scores lie around 3.6.
  expect(bars!.normalised).toBeGreaterThan(0.1);
  expect(bars!.normalised).toBeLessThan(0.5);
  const against = (arm: string) =>
    bars!.differences.filter((one) => one.arm === arm).map(({ against, verdict }) => [against, verdict]);
  expect(against('training')).toEqual([
    ['frozen', 'helps'],
    ['frozen-sharp', 'helps'],
    ['training-random', 'helps'],
  ]);
  expect(against('training-random')).toEqual([]);
  const sentences = sentencesOf([bars!]).join('\n');
  expect(sentences).toContain('Training lifts: 1 of 1 (snake); beyond random steps: 1 of 1 (snake)');
  expect(sentences).toContain('Training hurts: 0 of 1.');
  expect(sentences).toContain('history beyond shuffled scores: 1 of 1 (snake)');
});

test('no bar is met by an arm that does nothing, and hurting is told', () => {
  const flat = sectionOf('snake', { arms: [{ name: 'frozen' }, { name: 'training', effect: -2 }] });
  const sentences = sentencesOf(barsOf(flat.report)).join('\n');
  expect(sentences).toContain('Training lifts: 0 of 1; beyond random steps: 0 of 1');
  expect(sentences).toContain('Training hurts: 1 of 1 (snake).');
  expect(sentences).toContain('A memory lifts: 0 of 1');
});

test('files: the same logs give the same bytes; charts and reports are linked and there; no times', () => {
  const table: TransferTable = {
    games: ['snake-v1', 'tetris-v1'],
    cells: [
      {
        trainedOn: 'snake-v1',
        evaluatedOn: 'tetris-v1',
        delta: { mean: 1, lo: 0.5, hi: 1.5 },
        normalised: 0.25,
      } as TransferTable['cells'][number],
    ],
  };
  const sections = [snake, sectionOf('snake-variant')];
  const files = resultFiles(sections, table);
  expect(resultFiles(sections, table)).toEqual(files);
  expect(Object.keys(files).sort()).toEqual([
    'results.md',
    'results/snake-variant.md',
    'results/snake-variant.svg',
    'results/snake.md',
    'results/snake.svg',
  ]);
  const page = files['results.md']!;
  for (const [, path] of page.matchAll(/\]\((results\/[^)]+)\)/g)) expect(Object.keys(files)).toContain(path);
  expect(page).toContain('run seeds 1, 2, 3, 4, 5, 6 (a claim)');
  expect(page).toContain('| snake | – | **+0.25** |');
  expect(page).toContain('## snake-variant');
  expect(Object.values(files).join('\n')).not.toMatch(/\d ms\b|tokens\/s/);
});

test('every planned run has settings that a run takes, its games and arms', () => {
  for (const { section, settings } of PLAN) {
    for (const seed of SEEDS) {
      const config = runConfig({ ...settings(seed), seeds: [seed] });
      expect(config.games, section).toHaveLength(1);
      expect(config.arms.map(({ name }) => name)).toContain('training');
    }
  }
  expect(runConfig({ ...CARRIED, seeds: [1] }).games).toHaveLength(7);
  for (const { settings } of REAL_PLAN) {
    expect(runConfig({ ...settings(1), seeds: [1] }).arms.map(({ name }) => name)).toContain('training@oracle-judge');
  }
});

test('a real model’s runs become the last section of the page, once, and stay when the rest is written anew', () => {
  const page = resultFiles([snake], null)['results.md']!;
  const files = realFiles([sectionOf('real-trust')], page);
  const first = files['results.md']!;
  expect(first.startsWith(page.trimEnd())).toBe(true);
  expect(first).toContain('| Training | Training, random |');
  expect(Object.keys(files)).toContain('results/real-trust.md');
  const second = realFiles([sectionOf('real-snake')], first)['results.md']!;
  expect(second.match(/## A real model/g)).toHaveLength(1);
  expect(second).not.toContain('real-trust');
  const again = resultFiles([snake], null, first)['results.md']!;
  expect(again.slice(again.indexOf('## A real model'))).toBe(first.slice(first.indexOf('## A real model')));
  expect(again.startsWith(page.trimEnd())).toBe(true);
});
