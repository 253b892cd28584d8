// The conformance suite for our seven games and for user-made ones. Uses the public contract alone.
import type { Game } from './contract.ts';
import { casesOf, type Check, type CheckResult } from './check/context.ts';
import { hostile } from './check/fuzz.ts';
import { hidden } from './check/hidden.ts';
import { instances, levels, roles } from './check/instances.ts';
import { bounds, cap, determinism, expertBeatsRandom, interleaving, purity, replay, stalling } from './check/play.ts';
import { feedback, grammar, published, rules, views } from './check/text.ts';

export type { CheckResult } from './check/context.ts';

export const CHECKS: Readonly<Record<string, Check>> = {
  published,
  rules,
  determinism,
  purity,
  views,
  grammar,
  hostile,
  feedback,
  hidden,
  interleaving,
  replay,
  bounds,
  cap,
  stalling,
  expert: expertBeatsRandom,
  instances,
  levels,
  roles,
};

export interface CheckOptions {
  /** Instances built for each configuration. */
  seeds?: number;
  /** Episodes for each mean. */
  episodes?: number;
  /** Names of the checks to run; default all. */
  only?: readonly string[];
  /** Called at every call into the game: a watchdog that hears nothing for long may end the worker. */
  onProgress?: (check: string) => void;
}

/** Runs every check; a check that throws is a check that failed. Never throws itself. */
export function checkGame(game: Game, options: CheckOptions = {}): CheckResult[] {
  const { seeds = 1000, episodes = 40, only, onProgress } = options;
  let current = '';
  const watched = onProgress ? watch(game, () => onProgress(current)) : game;
  return Object.entries(CHECKS)
    .filter(([name]) => !only || only.includes(name))
    .map(([name, check]) => {
      current = name;
      onProgress?.(name);
      try {
        return { check: name, ok: true, detail: check({ game: watched, cases: casesOf(watched), seeds, episodes }) };
      } catch (error) {
        return { check: name, ok: false, detail: error instanceof Error ? error.message : String(error) };
      }
    });
}

/** The same game, calling `tick` before each of its functions. */
function watch(game: Game, tick: () => void): Game {
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value === 'function') {
          return (...args: unknown[]) => {
            tick();
            return Reflect.apply(value, object, args) as unknown;
          };
        }
        return key === 'levels' && typeof value === 'object' && value !== null ? wrap(value) : value;
      },
    });
  return wrap(game);
}
