// Which tokens may come next under an automaton over bytes: tokens that cross a boundary of the grammar included.
// Knows no grammar and no game.
import { CodedError } from '../../errors.ts';
import { Automaton, DEAD } from './automaton.ts';

/** What is needed of a tokenizer. */
export interface Vocabulary {
  vocabSize: number;
  bytesOf(id: number): Uint8Array;
  controlIds: ReadonlySet<number>;
}

interface Trie {
  children: Map<number, Trie>;
  /** Tokens whose bytes end here. */
  ids: number[];
}

/** Gives the mask before each token of one sequence: 1 = allowed, `size` entries. */
export type Masking = (generated: readonly number[]) => Uint8Array;

export class Masker {
  readonly #vocabulary: Vocabulary;
  readonly #trie: Trie = { children: new Map(), ids: [] };
  readonly #ends: readonly number[];
  readonly #size: number;
  readonly #automata = new Map<string, { automaton: Automaton; masks: Map<number, Uint8Array> }>();

  /** `ends`: ids that end a sequence, allowed where the text is a whole match. `size`: the model's vocabulary, padding included. */
  constructor(vocabulary: Vocabulary, ends: readonly number[], size: number) {
    this.#vocabulary = vocabulary;
    this.#ends = ends;
    this.#size = size;
    for (let id = 0; id < vocabulary.vocabSize; id++) {
      if (vocabulary.controlIds.has(id)) continue;
      const bytes = bytesOrNone(vocabulary, id);
      if (bytes.length > 0) insert(this.#trie, bytes, id);
    }
  }

  /** Masks for a sequence that begins with `forced` (already written) and must match the grammar. Errors: usage/grammar. */
  masking(grammar: string, forced: readonly number[] = []): Masking {
    let known = this.#automata.get(grammar);
    if (!known) {
      known = { automaton: Automaton.of(grammar, { ignoreCase: true }), masks: new Map() };
      this.#automata.set(grammar, known);
    }
    const { automaton, masks } = known;
    const advance = (state: number, id: number): number => automaton.after(this.#vocabulary.bytesOf(id), state);
    let state = forced.reduce(advance, automaton.start);
    let seen = 0;
    return (generated) => {
      for (; seen < generated.length; seen++) state = advance(state, generated[seen]!);
      let mask = masks.get(state);
      if (!mask) masks.set(state, (mask = this.#mask(automaton, state)));
      return mask;
    };
  }

  #mask(automaton: Automaton, state: number): Uint8Array {
    const mask = new Uint8Array(this.#size);
    const visit = (node: Trie, at: number): void => {
      for (const id of node.ids) mask[id] = 1;
      for (const [byte, child] of node.children) {
        const next = automaton.next(at, byte);
        if (next !== DEAD) visit(child, next);
      }
    };
    // A forced beginning may already be no match; then the sequence may only end.
    if (state !== DEAD) visit(this.#trie, state);
    if (automaton.accepts(state) || mask.every((on) => on === 0)) for (const id of this.#ends) mask[id] = 1;
    return mask;
  }
}

/** Ids may have gaps. */
function bytesOrNone(vocabulary: Vocabulary, id: number): Uint8Array {
  try {
    return vocabulary.bytesOf(id);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'model/token-id') return new Uint8Array(0);
    throw error;
  }
}

function insert(root: Trie, bytes: Uint8Array, id: number): void {
  let node = root;
  for (const byte of bytes) {
    let child = node.children.get(byte);
    if (!child) node.children.set(byte, (child = { children: new Map(), ids: [] }));
    node = child;
  }
  node.ids.push(id);
}
