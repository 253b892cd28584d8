// The score of a recorded episode equals its replay, whatever was played; and replay trusts nothing but seed and actions.
import { describe, expect, it } from 'vitest';
import { casesOf, start } from './check/context.ts';
import { nearMiss } from './check/fuzz.ts';
import { advance, cut, verify } from './episode.ts';
import { games } from './registry.ts';
import { stream } from './rng.ts';

describe.each([...games.values()].map((game) => [game.id, game] as const))('%s', (_, game) => {
  it.each(casesOf(game).map((which) => [which.label, which] as const))('%s', (_, which) => {
    for (let seed = 0; seed < 8; seed++) {
      const rng = stream(seed, game.id, which.label, 'verify test');
      const { preset, phase, split, options } = which;
      const spec = { preset, phase, split, options, seed };
      let episode = start(game, which, seed);
      const actions: (string | null)[] = [];
      const rewards: number[] = [];
      const cutAfter = seed % 4 === 3 ? 2 : Infinity;
      while (!episode.end && actions.length < cutAfter) {
        const { config, state } = episode;
        const wild = rng.int(12);
        const legal = wild === 0 ? (game.actions(config, state) ?? []) : [];
        const action = wild === 0 ? nearMiss(legal, rng) : wild === 1 ? null : game.random(config, state, rng);
        const next = advance(episode, action);
        episode = next.episode;
        actions.push(action);
        rewards.push(next.report.reward);
      }
      const context = !episode.end;
      if (context) episode = cut(episode).episode;
      const again = verify(game, spec, actions, context);
      expect(again).toMatchObject({
        score: episode.score,
        success: episode.success,
        steps: actions.length,
        end: episode.end,
        instance: episode.instance,
      });
      expect(again.rewards.reduce((a, b) => a + b, 0)).toBeCloseTo(episode.score, 9);
      // Actions after the end are not played.
      expect(verify(game, spec, [...actions, 'END', 'x'], false).steps).toBeLessThanOrEqual(actions.length + 1);
      // Another seed is another replay: claims are not carried over.
      expect(verify(game, { ...spec, seed: `other ${seed}` }, actions).steps).toBeLessThanOrEqual(actions.length);
    }
  });
});
