// A deterministic automaton over bytes, its states made as they are met. Thompson's construction, then subsets.
import { CodedError } from '../../errors.ts';
import { parseRegex, type ByteSet, type Node } from './regex.ts';

/** No text goes on from here. */
export const DEAD = -1;
const MOST_STATES = 200_000;

interface Edge {
  set: ByteSet;
  to: number;
}

export class Automaton {
  readonly start: number;
  readonly #edges: Edge[][];
  /** Moves without a byte. */
  readonly #jumps: number[][];
  readonly #last: number;
  /** Subsets of the nondeterministic states, by their text. */
  readonly #known = new Map<string, number>();
  readonly #subsets: number[][] = [];
  readonly #moves: Int32Array[] = [];

  private constructor(edges: Edge[][], jumps: number[][], first: number, last: number) {
    this.#edges = edges;
    this.#jumps = jumps;
    this.#last = last;
    this.start = this.#state([first]);
  }

  /** Of all texts that the expression matches whole. Errors: usage/grammar. */
  static of(source: string, options: { ignoreCase?: boolean } = {}): Automaton {
    const edges: Edge[][] = [];
    const jumps: number[][] = [];
    const add = (): number => {
      if (edges.length >= MOST_STATES) {
        throw new CodedError('usage/grammar', 'the expression has too many states', 'smaller counts in its braces');
      }
      edges.push([]);
      jumps.push([]);
      return edges.length - 1;
    };
    const build = (node: Node, from: number): number => {
      switch (node.kind) {
        case 'bytes': {
          const to = add();
          edges[from]!.push({ set: node.set, to });
          return to;
        }
        case 'sequence':
          return node.items.reduce((at, item) => build(item, at), from);
        case 'choice': {
          const to = add();
          for (const item of node.items) {
            const begin = add();
            jumps[from]!.push(begin);
            jumps[build(item, begin)]!.push(to);
          }
          return to;
        }
        case 'repeat': {
          let at = from;
          for (let i = 0; i < node.least; i++) at = build(node.item, at);
          if (node.most === Infinity) {
            const begin = add();
            jumps[at]!.push(begin);
            jumps[build(node.item, begin)]!.push(begin);
            return begin;
          }
          const to = add();
          jumps[at]!.push(to);
          for (let i = node.least; i < node.most; i++) {
            at = build(node.item, at);
            jumps[at]!.push(to);
          }
          return to;
        }
        default:
          return node satisfies never;
      }
    };
    const first = add();
    const last = build(parseRegex(source, options), first);
    return new Automaton(edges, jumps, first, last);
  }

  /** The state after one more byte, or DEAD. */
  next(state: number, byte: number): number {
    const moves = this.#moves[state]!;
    // 0: not known yet; else the state plus 2, so that DEAD is 1.
    if (moves[byte] === 0) {
      const targets = this.#subsets[state]!.flatMap((one) =>
        this.#edges[one]!.filter(({ set }) => set[byte] === 1).map(({ to }) => to),
      );
      moves[byte] = (targets.length === 0 ? DEAD : this.#state(targets)) + 2;
    }
    return moves[byte]! - 2;
  }

  /** Whether the text so far is a whole match. */
  accepts(state: number): boolean {
    return state !== DEAD && this.#subsets[state]!.includes(this.#last);
  }

  /** The state after these bytes. */
  after(bytes: Iterable<number>, state = this.start): number {
    for (const byte of bytes) {
      if (state === DEAD) return DEAD;
      state = this.next(state, byte);
    }
    return state;
  }

  #state(of: readonly number[]): number {
    const found = new Set(of);
    for (const one of found) for (const to of this.#jumps[one]!) found.add(to);
    const subset = [...found].sort((a, b) => a - b);
    const key = subset.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const state = this.#subsets.push(subset) - 1;
    this.#moves.push(new Int32Array(256));
    this.#known.set(key, state);
    return state;
  }
}
