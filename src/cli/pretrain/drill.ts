// Drills: lists of cells, numbers and names, said again or looked up. No game needs a small model to copy until late, and
// then two games need little else (Chess, Minesweeper); drills teach it early. Knows no game.
import type { Rng } from '../../../games/contract.ts';
import { stream } from '../../../games/rng.ts';
import type { Document } from './corpus.ts';

const NAMES = ['A', 'B', 'C', 'D', 'E'];

/** Words as the games spell them: a cell of a named piece, a cell in brackets, a number, a pair of numbers. */
const KINDS: readonly ((rng: Rng) => string)[] = [
  (rng) => ` ${rng.pick(NAMES)}:${rng.int(9)},${rng.int(9)}`,
  (rng) => ` (${rng.int(5)},${rng.int(5)})`,
  (rng) => ` ${rng.int(10)}`,
  (rng) => ` ${rng.int(6)} ${rng.int(6)}`,
];

/** A list, then the same again; lists, then any one item of each; or pieces with their cells, then one cell of each. */
export function makeDrill(seed: string): Document {
  const rng = stream(seed, 'drill');
  return [repeated, picked, lookedUp][rng.int(3)]!(rng);
}

/** One item of a list that is new in each turn, and no other: what was listed before counts no longer. */
function picked(rng: Rng): Document {
  const word = rng.pick(KINDS);
  const document: Document = [];
  for (let turn = 0; turn < 6; turn++) {
    const list = [...new Set(Array.from({ length: 2 + rng.int(14) }, () => word(rng)))];
    document.push(
      { text: `${turn === 0 ? '' : '\n'}Env:${list.join('')}\nLLM: Answer:`, weight: 0 },
      { text: rng.pick(list), weight: 1 },
    );
  }
  return [...document, { text: '\n', weight: 1 }];
}

function repeated(rng: Rng): Document {
  const word = rng.pick(KINDS);
  const list = Array.from({ length: 4 + rng.int(20) }, () => word(rng)).join('');
  const document: Document = [{ text: `Env:${list}`, weight: 0 }];
  for (let i = 1 + rng.int(3); i > 0; i--)
    document.push({ text: '\nLLM: Answer:', weight: 0 }, { text: list, weight: 1 });
  return [...document, { text: '\n', weight: 1 }];
}

const LABELS = ['same', 'two'];

/** As Chess shows it: each piece's cell and two others; the answer takes one kind of cell throughout. */
function lookedUp(rng: Rng): Document {
  const cell = () => `:${rng.int(9)},${rng.int(9)}`;
  const document: Document = [];
  const choice = rng.int(1 + LABELS.length);
  const names = NAMES.slice(0, 2 + rng.int(4));
  for (let turn = 0; turn < 4; turn++) {
    const cells = names.map(() => [cell(), ...LABELS.map(cell)]);
    const shown = names.map(
      (name, i) => ` ${name}${cells[i]![0]}${LABELS.map((label, k) => ` ${label}${cells[i]![k + 1]}`).join('')}`,
    );
    document.push(
      { text: `${turn === 0 ? '' : '\n'}Env:${shown.join('')}\nLLM: Answer:`, weight: 0 },
      { text: names.map((name, i) => ` ${name}${cells[i]![choice]}`).join(''), weight: 1 },
    );
  }
  return [...document, { text: '\n', weight: 1 }];
}
