// What every check works with: a game, its configurations, and episodes played through the public contract only.
import type { Game, GameConfig, GameOptions, Phase, Preset, Split } from '../contract.ts';
import { PHASES, PRESETS } from '../contract.ts';
import { advance, observe, reset, type Episode, type StepReport } from '../episode.ts';
import { configOf } from '../instance.ts';
import { stream } from '../rng.ts';

export interface CheckResult {
  /** A fixed name, e.g. `determinism`. */
  check: string;
  ok: boolean;
  /** What was seen: where it failed, or how much was looked at. */
  detail: string;
}

/** One configuration: a preset and phase, with the split and options that make it. */
export interface Case {
  readonly label: string;
  readonly preset: Preset;
  readonly phase: Phase;
  readonly split: Split;
  readonly options: GameOptions;
  readonly config: GameConfig;
}

export interface Context {
  readonly game: Game;
  readonly cases: readonly Case[];
  readonly seeds: number;
  readonly episodes: number;
}

/** Returns what was looked at; throws Fault (or anything) where the game is wrong. */
export type Check = (context: Context) => string;

export class Fault extends Error {}

export function must(condition: boolean, detail: () => string): asserts condition {
  if (!condition) throw new Fault(detail());
}

export function casesOf(game: Game): Case[] {
  const cases: Case[] = [];
  const add = (preset: Preset, phase: Phase, split: Split, options: GameOptions, extra: string) => {
    const config = configOf(game, { preset, phase, seed: 0, split, options });
    cases.push({ label: `${preset} ${phase}${extra}`, preset, phase, split, options, config });
  };
  for (const preset of PRESETS) {
    for (const phase of PHASES) {
      add(preset, phase, 'strict', {}, '');
      if (phase === 'strict') for (const split of game.splits ?? []) add(preset, phase, split, {}, ` ${split}`);
      for (const option of game.options ?? []) {
        for (const choice of option.choices) {
          if (choice !== option.default) {
            add(preset, phase, 'strict', { [option.key]: choice }, ` ${option.key}=${choice}`);
          }
        }
      }
    }
  }
  return cases;
}

/** The cases without those that differ from another in their options alone. */
export const plainCases = ({ cases }: Context) => cases.filter(({ options }) => Object.keys(options).length === 0);

export type Policy = 'random' | 'expert';

export interface Played {
  readonly episode: Episode;
  /** The episode before each step, then the last. */
  readonly episodes: readonly Episode[];
  readonly actions: readonly string[];
  readonly reports: readonly StepReport[];
  /** All that an agent was shown, for comparison. */
  readonly text: string;
}

export const start = (game: Game, { preset, phase, split, options }: Case, seed: number | string) =>
  reset(game, { preset, phase, split, options, seed });

export function play(game: Game, which: Case, seed: number | string, policy: Policy): Played {
  const player = playing(game, which, seed, policy);
  for (;;) {
    const next = player.next();
    if (next.done) return next.value;
  }
}

/** The same episode, pausing before every step, so that several can be interleaved. */
export function* playing(game: Game, which: Case, seed: number | string, policy: Policy): Generator<void, Played> {
  let episode = start(game, which, seed);
  const rng = stream(seed, 'check', policy);
  const episodes = [episode];
  const actions: string[] = [];
  const reports: StepReport[] = [];
  const shown = [observe(episode, 'board'), observe(episode, 'line')];
  while (!episode.end) {
    yield;
    const action = game[policy](episode.config, episode.state, rng);
    const next = advance(episode, action);
    episode = next.episode;
    episodes.push(episode);
    actions.push(action);
    reports.push(next.report);
    shown.push(action, next.report.feedback, observe(episode, 'board'), observe(episode, 'line'));
  }
  const { score, success, end } = episode;
  return { episode, episodes, actions, reports, text: JSON.stringify([shown, score, success, end, reports]) };
}

/** Text that differs where two plain values differ; typed arrays, BigInt, Map and Set included. */
export function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    if (part instanceof Map) return ['Map', ...part];
    if (part instanceof Set) return ['Set', ...part];
    if (ArrayBuffer.isView(part)) return ['View', ...(part as Uint8Array)];
    return part;
  });
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze((value as Record<PropertyKey, unknown>)[key]);
  }
  return value;
}
