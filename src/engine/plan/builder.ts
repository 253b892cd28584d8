// Collects ops and buffers into a plan, leaves out ops whose results nobody reads, and gives every temporary a place by its
// lifetime (first to last op that names it). Knows nothing of models.
import { OPS, type OpArgs, type OpName, type PlanOp, type Ref } from './ops.ts';

export interface Plan {
  readonly ops: readonly PlanOp[];
  readonly buffers: readonly PlanBuffer[];
  /** Words of the one slab that holds all temporaries, inputs and outputs. */
  readonly words: number;
  /** Places in the slab to fill before, and to read after, a run. */
  readonly slots: ReadonlyMap<string, { offset: number; words: number }>;
}

export interface PlanBuffer {
  /** Name under which the executor binds it; null for one in the slab. */
  readonly bound: string | null;
  readonly words: number;
  /** Place in the slab. */
  offset: number;
}

const ALIGN = 16;

/** Words freed and taken again, first fit. */
class Slab {
  words = 0;
  private free: { offset: number; words: number }[] = [];

  take(words: number): number {
    const i = this.free.findIndex((f) => f.words >= words);
    const hole = this.free[i];
    if (hole) {
      const { offset } = hole;
      if (hole.words === words) this.free.splice(i, 1);
      else this.free[i] = { offset: offset + words, words: hole.words - words };
      return offset;
    }
    const last = this.free.at(-1);
    const grown = last && last.offset + last.words === this.words ? this.free.pop() : undefined;
    const offset = grown?.offset ?? this.words;
    this.words = offset + words;
    return offset;
  }

  give(offset: number, words: number): void {
    const { free } = this;
    let i = free.length;
    while (i > 0 && free[i - 1]!.offset > offset) i--;
    free.splice(i, 0, { offset, words });
    for (const at of [i, i - 1]) {
      const [a, b] = [free[at], free[at + 1]];
      if (a && b && a.offset + a.words === b.offset) free.splice(at, 2, { offset: a.offset, words: a.words + b.words });
    }
  }
}

export class PlanBuilder {
  private readonly ops: PlanOp[] = [];
  private readonly buffers: PlanBuffer[] = [];
  private readonly names = new Map<string, number>();
  private readonly bounds = new Map<string, Ref>();

  private add(bound: string | null, words: number): Ref {
    this.buffers.push({ bound, words: Math.ceil(Math.max(1, words) / ALIGN) * ALIGN, offset: -1 });
    return { buffer: this.buffers.length - 1, offset: 0 };
  }

  temp(words: number): Ref {
    return this.add(null, words);
  }

  /** A buffer in the slab that the host fills before or reads after the run: it lives through the whole plan. */
  slot(name: string, words: number): Ref {
    const ref = this.add(null, words);
    this.names.set(name, ref.buffer);
    return ref;
  }

  /** A buffer that lives outside the plan: a weight, an adapter, key-value pages. */
  bound(name: string): Ref {
    let ref = this.bounds.get(name);
    if (!ref) this.bounds.set(name, (ref = this.add(name, 0)));
    return ref;
  }

  op<K extends OpName>(name: K, args: OpArgs<K>): void {
    const { out, in: read, int, real } = OPS[name];
    const values = args as Record<string, Ref | number | null>;
    this.ops.push({
      name,
      refs: [...out, ...read].map((key) => values[key] as Ref | null),
      ints: int.map((key) => values[key] as number),
      reals: (real as readonly string[]).map((key) => values[key] as number),
    });
  }

  /** The ops that a bound buffer or a slot depends on; a recomputed block asks for more than its backward pass reads. */
  private needed(): PlanOp[] {
    const live = new Set([...this.bounds.values()].map(({ buffer }) => buffer).concat(...this.names.values()));
    const kept: PlanOp[] = [];
    for (const op of this.ops.toReversed()) {
      const written = op.refs.slice(0, OPS[op.name].out.length);
      if (!written.some((ref) => ref && live.has(ref.buffer))) continue;
      for (const ref of op.refs) if (ref) live.add(ref.buffer);
      kept.push(op);
    }
    return kept.toReversed();
  }

  finish(): Plan {
    const { buffers, names } = this;
    const ops = this.needed();
    const first = new Map<number, number>();
    const last = new Map<number, number>();
    ops.forEach((op, i) => {
      for (const ref of op.refs) {
        if (!ref || buffers[ref.buffer]!.bound !== null) continue;
        if (!first.has(ref.buffer)) first.set(ref.buffer, i);
        last.set(ref.buffer, i);
      }
    });
    const slab = new Slab();
    for (const buffer of names.values()) {
      buffers[buffer]!.offset = slab.take(buffers[buffer]!.words);
      first.delete(buffer);
      last.delete(buffer);
    }
    const starts = new Map<number, number[]>();
    const ends = new Map<number, number[]>();
    for (const [buffer, i] of first) starts.set(i, [...(starts.get(i) ?? []), buffer]);
    for (const [buffer, i] of last) ends.set(i, [...(ends.get(i) ?? []), buffer]);
    for (let i = 0; i < ops.length; i++) {
      for (const id of starts.get(i) ?? []) buffers[id]!.offset = slab.take(buffers[id]!.words);
      for (const id of ends.get(i) ?? []) slab.give(buffers[id]!.offset, buffers[id]!.words);
    }
    const slots = new Map(
      [...names].map(([name, id]) => [name, { offset: buffers[id]!.offset, words: buffers[id]!.words }]),
    );
    return { ops, buffers, words: slab.words, slots };
  }
}
