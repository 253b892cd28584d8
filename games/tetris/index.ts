// Tetris: place random blocks, clear rows. Assembles the folder's parts into the contract.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { matchAction } from '../grammar.ts';
import { fill } from '../template.ts';
import { configs, type TetrisConfig } from './config.ts';
import guidance from './guidance.txt?raw';
import { actionOf, distinctPlacements, PATTERNS, type Piece } from './pieces.ts';
import rulesPaper from './rules.paper.txt?raw';
import rulesPocket from './rules.pocket.txt?raw';
import { begin, current, parse, place, type TetrisInstance, type TetrisState } from './state.ts';
import { expert, random, strategies, tips } from './strategies.ts';
import { board, legend, line } from './views.ts';

const GRAMMAR = String.raw`(?<column>[1-9]\d?) (?<angle>0|90|180|270)`;
const FEEDBACK = { landed: '', spared: 'topped out, top rows cleared', over: 'topped out' };

const draw = (
  config: TetrisConfig,
  pick: (pieces: readonly Piece[]) => Piece,
  from: readonly Piece[] = [],
): Piece[] => [...from, ...Array.from({ length: config.stepCap - from.length }, () => pick(config.pieces))];

/** What topping out and an invalid answer do, for the pocket rules and the paper's. */
function ends({ phase, spares, spareRows }: TetrisConfig): { top: string; invalid: string } {
  const spared = spares > 0 ? ` (the first time it only empties the top ${spareRows} rows)` : '';
  return phase === 'strict'
    ? { top: 'A piece resting above the top, or an invalid answer, ends the game.', invalid: 'ends the game' }
    : {
        top: `A piece resting above the top ends the game${spared}; an invalid answer takes a step.`,
        invalid: 'changes nothing but takes a step',
      };
}

export default defineGame<TetrisConfig, TetrisInstance, TetrisState>({
  ...about,
  id: 'tetris-v1',
  configs,
  legend,

  rules(config) {
    const { width, height, stepCap } = config;
    return fill(config.preset === 'pocket' ? rulesPocket : rulesPaper, {
      width,
      height,
      steps: stepCap,
      pieces: config.pieces.map((piece) => `${piece} ${PATTERNS[piece]}`).join(', '),
      ...ends(config),
    });
  },
  guidance: (config) => (config.preset === 'pocket' ? tips.expert! : guidance.trim()),

  generate: (config, rng) => ({ pieces: draw(config, (pieces) => rng.pick(pieces)) }),
  start: begin,
  board,
  line,

  grammar: () => GRAMMAR,
  actions(config, state) {
    const piece = current(state);
    return piece && !state.over ? distinctPlacements(piece, config.width).map(actionOf) : [];
  },
  step(config, state, action) {
    const match = matchAction(GRAMMAR, action);
    if (!match) return { valid: false, reason: 'not COLUMN ANGLE' };
    const piece = current(state);
    if (!piece || state.over) return { valid: false, reason: 'no piece to place', terminated: true };
    const placement = parse(config, piece, match.groups!.column!, match.groups!.angle!);
    if (typeof placement === 'string') return { valid: false, reason: placement };
    const { state: next, event } = place(config, state, placement);
    return { valid: true, state: next, feedback: FEEDBACK[event], terminated: next.over };
  },

  score: (_, state) => state.cleared,
  success: (config, state) => state.cleared >= config.goal,

  random,
  expert,
  strategies,
  tips,
  reveal(_, { pieces, placed }) {
    const next = pieces.slice(placed + 1);
    return next.length > 0 ? `Pieces that would have come: ${next.join(' ')}.` : 'No piece was left.';
  },
  alternative(config, state, rng) {
    // Only the pieces after the one that is shown are hidden.
    const shown = state.pieces.slice(0, state.placed + 1);
    if (shown.length >= state.pieces.length) return null;
    return { ...state, pieces: draw(config, (pieces) => rng.pick(pieces), shown) };
  },
  levels: {
    of: (_, instance) => instance.pieces[0]!,
    shares: (config) => Object.fromEntries(config.pieces.map((piece) => [piece, 1 / config.pieces.length])),
  },
});
