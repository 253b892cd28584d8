// Every registered game passes the conformance suite. 1,000 instances a game are built here, over its configurations
// (`s3 check GAME` builds 1,000 for each). That the suite finds faults is check.test.ts.
import { describe, expect, it } from 'vitest';
import { checkGame, CHECKS } from './check.ts';
import { games } from './registry.ts';

describe.each([...games.values()].map((game) => [game.id, game] as const))('%s', (_, game) => {
  it.each(Object.keys(CHECKS))(
    '%s',
    (name) => {
      const [result] = checkGame(game, { only: [name], seeds: name === 'levels' ? 1000 : 250, episodes: 12 });
      expect(result).toMatchObject({ ok: true, detail: expect.any(String) });
    },
    120_000,
  );
});
