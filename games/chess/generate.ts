// Draws pieces one by one until none shares a cell with another and each one's shown history fixes what comes next.
import type { Rng } from '../contract.ts';
import type { ChessConfig } from './config.ts';
import { continuations, rulesByPeriod, walk, type Cell } from './family.ts';

/** A piece's hidden rule and the path that follows from it: the shown positions, then the ones to predict. */
export type Piece = { rule: Cell[]; path: Cell[] };
export type ChessInstance = { pieces: Piece[] };

const TRIES = 5000;

export function generate(config: ChessConfig, rng: Rng): ChessInstance {
  const pieces: Piece[] = [];
  for (let tries = 0; pieces.length < config.pieces; tries++) {
    if (tries > TRIES) return generate(config, rng); // a crowded start: begin again, further down the stream
    const piece = draw(config, rng);
    if (collides(piece, pieces)) continue;
    if (continuations(config, piece.path.slice(0, config.shown), config.rounds).length === 1) pieces.push(piece);
  }
  return { pieces };
}

function draw(config: ChessConfig, rng: Rng): Piece {
  const start: Cell = [rng.int(config.rows), rng.int(config.cols)];
  const rule = rng.pick(rng.pick(rulesByPeriod));
  return {
    rule: rule.map(([row, col]) => [row, col]),
    path: walk(config, start, rule, config.shown + config.rounds),
  };
}

const collides = (piece: Piece, others: readonly Piece[]) =>
  others.some(({ path }) => path.some(([row, col], t) => piece.path[t]![0] === row && piece.path[t]![1] === col));
