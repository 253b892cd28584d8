// What a report needs to know beside the log: each game's published facts and measured baselines. Knows no log.
import type { GameOptions, Phase, Preset, Split } from '../../games/contract.ts';
import { configOf } from '../../games/instance.ts';
import { findGame, games } from '../../games/registry.ts';
import type { Baselines } from './types.ts';

export interface GameFacts {
  title: string;
  /** What the score counts, plural. */
  unit: string;
  scoreStep: number;
  /** Of a whole action (`Game.grammar`); null where the game is unknown. */
  grammar: string | null;
  scoreBounds: [number, number] | null;
  /** Published bounds of one step's reward, by phase. */
  stepRewardBounds: Record<Phase, [number, number]> | null;
  rolesExempt: boolean;
  /** Place in tables. */
  order: number;
}

export interface Setup {
  preset: Preset;
  split: Split;
  options: GameOptions;
}

export interface ReportContext {
  /** null for a game this build does not know: raw scores only. */
  facts(game: string, setup: Setup): GameFacts | null;
  baselines(game: string, setup: Setup): Baselines | null;
}

const UNKNOWN: Omit<GameFacts, 'title'> = {
  unit: 'points',
  scoreStep: 1,
  grammar: null,
  scoreBounds: null,
  stepRewardBounds: null,
  rolesExempt: false,
  order: 1000,
};

export const factsOf = (context: ReportContext, game: string, setup: Setup): GameFacts =>
  context.facts(game, setup) ?? { title: game, ...UNKNOWN };

/** Facts from the games of this build. */
export function registryFacts(id: string, setup: Setup): GameFacts | null {
  const game = findGame(id);
  if (!game) return null;
  const config = (phase: Phase) => configOf(game, { ...setup, phase, seed: 0 });
  const strict = config('strict');
  const bounds = (phase: Phase): [number, number] => [...config(phase).stepRewardBounds];
  return {
    title: game.title,
    unit: game.unit,
    scoreStep: strict.scoreStep,
    grammar: game.grammar(strict),
    scoreBounds: [...strict.scoreBounds],
    stepRewardBounds: { explore: bounds('explore'), strict: bounds('strict') },
    rolesExempt: game.rolesExempt ?? false,
    order: [...games.keys()].indexOf(game.id),
  };
}
