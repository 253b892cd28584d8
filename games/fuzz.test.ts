// 10,000 random and near-miss actions a game: no exception, nothing illegal accepted, scores in bounds.
import { describe, expect, it } from 'vitest';
import { casesOf } from './check/context.ts';
import { fuzz } from './check/fuzz.ts';
import { games } from './registry.ts';

describe.each([...games.values()].map((game) => [game.id, game] as const))('%s', (_, game) => {
  const cases = casesOf(game).filter(({ options }) => Object.keys(options).length === 0);
  it.each(cases.map((which) => [which.label, which] as const))(
    '%s',
    (label, which) => {
      const texts = Math.ceil(10_000 / cases.length);
      const { accepted } = fuzz(game, which, texts);
      expect(accepted, label).toBeGreaterThan(texts / 100);
      expect(accepted, label).toBeLessThan(texts * 0.95);
    },
    60_000,
  );
});
