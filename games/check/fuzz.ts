// Random and near-miss action texts: never an exception, and accepted only what grammar and legal list allow.
import type { Game, Rng } from '../contract.ts';
import { advance, type Episode } from '../episode.ts';
import { matchAction } from '../grammar.ts';
import { stream } from '../rng.ts';
import { must, start, type Case, type Check } from './context.ts';

const HOSTILE = [
  '', ' ', '-', '\0', '\n', 'END', '__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'Infinity', '-1',
  '1e9', '0x10', '99999999999999999999', '١ ٢', 'ＵＰ', 'up\u200b', '💣', '(0,0', 'Answer: UP', 'a'.repeat(5000), '0 0 '.repeat(500),
]; // prettier-ignore
const LETTERS = 'ABCXWSJHFudlrcholabetn0123456789 ,:;()-.';

/** A text near the grammar: a legal action with one edit, two joined, a number moved, or noise. */
export function nearMiss(legal: readonly string[], rng: Rng): string {
  const base = legal.length > 0 ? rng.pick(legal) : 'UP';
  const at = rng.int(base.length + 1);
  switch (rng.int(9)) {
    case 0:
      return base;
    case 1:
      return base.slice(0, at) + base.slice(at + 1);
    case 2:
      return base.slice(0, at) + rng.pick([...LETTERS]) + base.slice(at);
    case 3:
      return base.slice(0, at) + rng.pick([...LETTERS]) + base.slice(at + 1);
    case 4:
      return base.replace(/\d+/, (digits) => String(Number(digits) + rng.int(25) - 12));
    case 5:
      return `${base}${rng.pick([' ', ', ', '; ', '\n', ''])}${legal.length > 0 ? rng.pick(legal) : base}`;
    case 6:
      return rng.pick(HOSTILE);
    case 7:
      return rng.int(2) ? base.toLowerCase() : ` ${base}`;
    default:
      return Array.from({ length: 1 + rng.int(12) }, () => rng.pick([...LETTERS])).join('');
  }
}

/** Plays `texts` fuzzed actions; throws where one is wrongly accepted, throws, or leaves the bounds. */
export function fuzz(game: Game, which: Case, texts: number): { accepted: number } {
  const rng = stream(which.label, game.id, 'fuzz');
  const source = game.grammar(which.config);
  let accepted = 0;
  let seed = 0;
  let episode: Episode = start(game, which, `f${seed}`);
  for (let i = 0; i < texts; i++) {
    if (episode.end) episode = start(game, which, `f${++seed}`);
    const { config, state } = episode;
    const listed = game.actions(config, state);
    const text = nearMiss(listed ?? [game.random(config, state, rng)], rng);
    const outcome = game.step(config, state, text);
    const where = () => `${which.label}: ${JSON.stringify(text.slice(0, 60))}`;
    if (outcome.valid) {
      accepted++;
      must(matchAction(source, text) !== null, () => `${where()} is accepted and not in the grammar`);
      if (listed && !listed.some((action) => action.toLowerCase() === text.toLowerCase())) {
        const board = game.board(config, outcome.state);
        const known = listed.some((action) => {
          const other = game.step(config, state, action);
          return other.valid && game.board(config, other.state) === board;
        });
        must(known, () => `${where()} is accepted and leads where no listed action leads`);
      }
    } else {
      must(!listed?.includes(text), () => `${where()} is listed and refused: ${outcome.reason}`);
      must(/^[^\r\n]{1,100}$/.test(outcome.reason), () => `${where()}: the reason is not one short line`);
    }
    // Now and then go on, so that later states are met too.
    if (rng.int(8) === 0) {
      const action = rng.int(3) ? game.random(config, state, rng) : text;
      episode = advance(episode, action).episode;
      const [low, high] = config.scoreBounds;
      must(episode.score >= low && episode.score <= high, () => `${where()}: score ${episode.score}`);
    }
  }
  return { accepted };
}

export const hostile: Check = ({ game, cases }) => {
  let accepted = 0;
  for (const which of cases) accepted += fuzz(game, which, 300).accepted;
  return `${cases.length * 300} texts, ${accepted} accepted`;
};
