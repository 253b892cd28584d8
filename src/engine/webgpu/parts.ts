// A weight that is too large for one buffer lies in several, so many rows in each, and an op that reads it becomes one op a
// part. Every sum goes on where the part before has left it: results are the undivided op's to the bit. Knows no kernel.
import { at, OPS, type PlanOp, type Ref } from '../plan/ops.ts';
import type { Block } from './device.ts';
import { WEIGHT_OPERAND } from './kernels.ts';

/** Rows `first` to `end` of a weight. */
export interface Part {
  readonly block: Block;
  readonly first: number;
  readonly end: number;
}

/** Place of the weight among an op's operands; -1: it has none. */
export const weightIndex = (op: PlanOp): number => namesOf(op).refs.indexOf(WEIGHT_OPERAND[op.name] ?? '');

/** The op, or where its weight lies in parts one op for each. */
export function byParts(
  op: PlanOp,
  partsOf: (weight: Ref) => readonly Part[] | undefined,
): { op: PlanOp; part?: Part }[] {
  const weight = op.refs[weightIndex(op)];
  const parts = weight && partsOf(weight);
  return parts ? divided(op, parts).map((each, i) => ({ op: each, part: parts[i]! })) : [{ op }];
}

/** The op for each part; an embedding's is the same: its kernel leaves out ids of other parts. */
function divided(op: PlanOp, parts: readonly Part[]): PlanOp[] {
  const { refs, numbers } = named(op);
  return parts.map(({ first, end }, i) => {
    const moved = (name: string, words = first) => (refs[name] ? at(refs[name], words) : null);
    const last = i === parts.length - 1;
    switch (op.name) {
      case 'linear': // columns of the result
        return changed(
          op,
          { out: moved('out'), init: moved('init'), b: moved('b', first * numbers.rank!) },
          { n: end - first },
        );
      case 'linearDx': // steps of the sum
        return changed(
          op,
          { dy: moved('dy'), ...(last ? {} : { dt: null, a: null }) },
          { n: end - first, ...(i > 0 ? { add: 1 } : {}), ...(last ? {} : { alpha: 1 }) },
        );
      default:
        return op;
    }
  });
}

type Refs = Record<string, Ref | null>;
type Numbers = Record<string, number>;

const namesOf = ({ name }: PlanOp): { refs: string[]; ints: readonly string[]; reals: readonly string[] } => {
  const { out, in: read, int, real } = OPS[name];
  return { refs: [...out, ...read], ints: int, reals: real };
};

function named(op: PlanOp): { refs: Refs; numbers: Numbers } {
  const { refs, ints } = namesOf(op);
  return {
    refs: Object.fromEntries(refs.map((name, i) => [name, op.refs[i]!])),
    numbers: Object.fromEntries(ints.map((name, i) => [name, op.ints[i]!])),
  };
}

function changed(op: PlanOp, otherRefs: Refs, others: Numbers): PlanOp {
  const { refs, ints, reals } = namesOf(op);
  const other = (name: string, number: number) => others[name] ?? number;
  return {
    name: op.name,
    refs: refs.map((name, i) => (name in otherRefs ? otherRefs[name]! : op.refs[i]!)),
    ints: ints.map((name, i) => other(name, op.ints[i]!)),
    reals: reals.map((name, i) => other(name, op.reals[i]!)),
  };
}
