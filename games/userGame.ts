// A game written by someone else: a plain JS module whose default export is a Game, or a function (api) => Game.
// Checks the shape only; what the functions do is the conformance suite's business (check.ts).
import * as v from 'valibot';
import { defineGame, PHASES, PRESETS, type Game } from './contract.ts';
import { stream } from './rng.ts';

export const api = { defineGame, stream };
export type GameApi = typeof api;

const fn = v.function();
const number = v.pipe(v.number(), v.finite());
const pair = v.tuple([number, number]);
const config = v.looseObject({
  preset: v.picklist(PRESETS),
  phase: v.picklist(PHASES),
  stepCap: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)),
  scoreBounds: pair,
  stepRewardBounds: pair,
  scoreStep: number,
});
const phases = v.looseObject({ explore: config, strict: config });

const shape = v.looseObject({
  id: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*-v\d+$/, 'expected name-v1')),
  title: v.string(),
  summary: v.string(),
  unit: v.string(),
  configs: v.looseObject({ pocket: phases, paper: phases }),
  legend: v.looseObject({ board: v.string(), line: v.string() }),
  options: v.optional(
    v.array(v.looseObject({ key: v.string(), choices: v.array(v.string()), default: v.string(), help: v.string() })),
  ),
  splits: v.optional(v.array(v.picklist(['strict', 'unseen']))),
  rolesExempt: v.optional(v.boolean()),
  rules: fn,
  guidance: fn,
  generate: fn,
  start: fn,
  board: fn,
  line: fn,
  grammar: fn,
  actions: fn,
  step: fn,
  score: fn,
  success: fn,
  random: fn,
  expert: fn,
  configure: v.optional(fn),
  finish: v.optional(fn),
  alternative: v.optional(fn),
  solvable: v.optional(fn),
  levels: v.optional(v.looseObject({ of: fn, shares: fn })),
  strategies: v.optional(v.record(v.string(), fn)),
  tips: v.optional(v.record(v.string(), v.string())),
});

/** The game that a module exports. Throws RangeError with the path of the first part that is wrong. */
export function readUserGame(exported: unknown): Game {
  const made: unknown = typeof exported === 'function' ? (exported as (given: GameApi) => unknown)(api) : exported;
  const result = v.safeParse(shape, made);
  if (!result.success) {
    const [issue] = result.issues;
    const path = issue.path?.map(({ key }) => String(key)).join('.');
    throw new RangeError(`${path ? `${path}: ` : 'the default export: '}${issue.message}`);
  }
  return made as Game; // the shape holds; the functions are called as they are
}
