// What a game is. A game is one folder that default-exports a `Game`; it is found by glob (registry.ts).
// Pure TypeScript: no DOM, no clock, no global randomness, nothing from src/.

export type Preset = 'paper' | 'pocket';
export type Phase = 'explore' | 'strict';
/** Instances are split by their own hash (protocol.md), so the sets are disjoint by construction. */
export type Role = 'pretraining' | 'exploration' | 'strict' | 'development';
/** `unseen` is a hold-out inside a game's chance (Trust's opponents that never occur in exploration). */
export type Split = 'strict' | 'unseen';
export type View = 'board' | 'line';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const PRESETS: readonly Preset[] = ['pocket', 'paper'];
export const PHASES: readonly Phase[] = ['explore', 'strict'];
export const ROLES: readonly Role[] = ['pretraining', 'exploration', 'strict', 'development'];
/** Invalid answers in a row that end an exploration episode. */
export const INVALID_LIMIT = 3;

/** What every configuration publishes; a game adds its own sizes beside these. */
export interface GameConfig {
  readonly preset: Preset;
  readonly phase: Phase;
  /** The action at the cap is still applied and scored. */
  readonly stepCap: number;
  readonly scoreBounds: readonly [number, number];
  /** Bounds of one step's reward y_i - y_(i-1), the penalty for unplayed rounds left out. */
  readonly stepRewardBounds: readonly [number, number];
  /** The first non-zero step of the score (eps of NABA). */
  readonly scoreStep: number;
}

/** A setting of a game beyond preset and phase, metadata as const (Trust: which opponents). */
export interface GameOption {
  readonly key: string;
  readonly choices: readonly string[];
  readonly default: string;
  readonly help: string;
}
export type GameOptions = Readonly<Record<string, string>>;

export type Outcome<S> =
  | {
      readonly valid: true;
      readonly state: S;
      /** F: one observable line about what just happened, or '' where the next observation says it all. */
      readonly feedback: string;
      /** The game's own rule ended the episode. */
      readonly terminated: boolean;
    }
  | {
      readonly valid: false;
      /** One short line, e.g. `out of range`. Never names hidden state. */
      readonly reason: string;
      /** Only where an invalid answer still changes something (Trust loses the round). Otherwise unchanged. */
      readonly state?: S;
      readonly terminated?: boolean;
    };

export interface Game<C extends GameConfig = GameConfig, I extends Json = Json, S = unknown> {
  /** `snake-v1`. Bump the version whenever a result could change. */
  readonly id: `${string}-v${number}`;
  readonly title: string;
  /** One sentence for people. */
  readonly summary: string;
  /** What the score counts, plural, for axes and sentences: `apples`. */
  readonly unit: string;
  readonly configs: Readonly<Record<Preset, Readonly<Record<Phase, C>>>>;
  readonly options?: readonly GameOption[];
  /** Splits that exist beside strict. */
  readonly splits?: readonly Split[];
  /** Exempt from roles by hash, because there are too few instances (Trust). */
  readonly rolesExempt?: boolean;
  /** Every character that may occur in a view. */
  readonly legend: Readonly<Record<View, string>>;
  /** The configuration for a split and options; default: configs[preset][phase] unchanged. */
  configure?(config: C, split: Split, options: GameOptions): C;

  /** The rules as the agent reads them, ending in the answer's form; equal to what `step` applies. */
  rules(config: C): string;
  /** True advice in a few sentences, for the oracle-guidance control (the game's guidance.txt). */
  guidance(config: C): string;

  /** Draws an instance: hidden state and the resolved chance schedule, as plain data. Never reads a clock. */
  generate(config: C, rng: Rng): I;
  start(config: C, instance: I): S;
  /** The drawn view: what the agent may see of the state. */
  board(config: C, state: S): string;
  /** The short view, a pure function of the board's text and nothing else. One line. */
  line(config: C, board: string): string;

  /** Source of a regular expression for a whole action, without anchors; matching ignores case. */
  grammar(config: C): string;
  /** Legal actions in a fixed order where there are at most 2,000, else null. */
  actions(config: C, state: S): string[] | null;
  /** Pure. Refuses what the grammar or the state refuses; never clamps, never throws on text. */
  step(config: C, state: S, action: string): Outcome<S>;
  /** The end rule for an episode that stops before its own end (END, invalid, truncated). Default: as it stands. */
  finish?(config: C, state: S): S;

  /** y of the state; within scoreBounds. 0 at the start. */
  score(config: C, state: S): number;
  success(config: C, state: S): boolean;

  /** Uniform over legal actions. */
  random(config: C, state: S, rng: Rng): string;
  /** Plays well from what the agent may see (it must not read hidden state). */
  expert(config: C, state: S, rng: Rng): string;
  /** Weaker, distinct ways to play, by name, for pretraining and for tests. Optional. */
  readonly strategies?: Readonly<Record<string, (config: C, state: S, rng: Rng) => string>>;
  /** A strategy's advice as an agent could write it, by the strategy's name: `retain: … avoid: … next: …`, one line. */
  readonly tips?: Readonly<Record<string, string>>;
  /** Another state with other hidden content that agrees with all that the agent has seen, or null if none was found. */
  alternative?(config: C, state: S, rng: Rng): S | null;
  /** What was hidden, in words for people: shown once the episode is over, never to an agent. */
  reveal?(config: C, state: S): string;
  /** What an episode's result is clustered by (Trust: the opponent). Benchmark only. Default: its instance. */
  cluster?(config: C, state: S): string;

  /** Where the level promises a solution: whether this instance has one. */
  solvable?(config: C, instance: I): boolean;
  /** Where instances fall into published levels (Trust's opponents): an instance's level, and each level's share. */
  readonly levels?: {
    of(config: C, instance: I): string;
    shares(config: C): Readonly<Record<string, number>>;
  };
}

/** A named stream of randomness (rng.ts). */
export interface Rng {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in 0..n-1, without modulo bias. */
  int(n: number): number;
  pick<T>(items: readonly T[]): T;
  /** Index drawn with the given non-negative weights. */
  weighted(weights: readonly number[]): number;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
}

/** Keeps a game's types while it is written; erases them for the registry. */
export function defineGame<C extends GameConfig, I extends Json, S>(game: Game<C, I, S>): Game {
  return game as unknown as Game;
}
