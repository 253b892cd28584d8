// Every registered game passes the conformance suite; the suite itself finds planted faults.
import { describe, expect, it } from 'vitest';
import { checkGame, CHECKS } from './check.ts';
import { games } from './registry.ts';

describe.each([...games.values()].map((game) => [game.id, game] as const))('%s', (_, game) => {
  it.each(Object.keys(CHECKS))(
    '%s',
    (name) => {
      const [result] = checkGame(game, { only: [name], seeds: 1000, episodes: 24 });
      expect(result).toMatchObject({ ok: true, detail: expect.any(String) });
    },
    120_000,
  );
});
