// The op list's vocabulary: every op with its buffers (written, read) and its numbers, in the order that executors
// read them. Sizes are padded to multiples of 8, strides (ld...) count f32 words. Knows nothing of WASM or WGSL.
// `T | null` operands are given as null; the maths of each op stands in the header of its kernel.

export interface OpSpec {
  readonly out: readonly string[];
  readonly in: readonly string[];
  readonly int: readonly string[];
  readonly real: readonly string[];
}

const spec = <
  const O extends readonly string[],
  const I extends readonly string[],
  const N extends readonly string[],
  const R extends readonly string[],
>(
  out: O,
  read: I,
  int: N,
  real: R,
) => ({ out, in: read, int, real });

/** Order matters: an op's code is its place here, counted from 1. */
export const OPS = {
  embed: spec(['out'], ['table', 'ids'], ['dtype', 'rows', 'k'], []),
  rmsNorm: spec(['out', 'keep'], ['x', 'w'], ['rows', 'width', 'ld'], ['eps']),
  linear: spec(
    ['out'],
    ['x', 'w', 'init', 't', 'b'],
    ['dtype', 'rows', 'k', 'n', 'ldo', 'ldx', 'ldi', 'rank', 'ldt'],
    ['alpha'],
  ),
  rope: spec(['x'], ['positions', 'table'], ['rows', 'heads', 'dim', 'ld'], ['direction']),
  storeKv: spec(['pages'], ['k', 'v', 'positions', 'page'], ['rows', 'heads', 'dim', 'ld'], []),
  attention: spec(
    ['out', 'lse'],
    ['q', 'pages', 'tables', 'units'],
    ['count', 'heads', 'kvHeads', 'dim', 'ld'],
    ['scale'],
  ),
  swiglu: spec(['out'], ['gate', 'up'], ['words'], []),
  moveRows: spec(['out'], ['x', 'index'], ['rows', 'width', 'scatter'], []),
  crossEntropy: spec(['logits', 'logps', 'lses'], ['targets', 'coefficients'], ['rows', 'vocab', 'ld'], []),
  sample: spec(['results'], ['logits', 'parameters', 'masks'], ['rows', 'vocab', 'ld'], []),
  zero: spec(['out'], [], ['words'], []),
  linearDx: spec(
    ['out'],
    ['dy', 'w', 'dt', 'a'],
    ['dtype', 'rows', 'k', 'n', 'ldo', 'ldy', 'add', 'rank', 'ldt'],
    ['alpha'],
  ),
  linearDw: spec(['dw'], ['dy', 'x'], ['rows', 'k', 'n', 'ldy', 'ldx', 'add'], []),
  rmsNormGrad: spec(['dx'], ['dy', 'x', 'w', 'keep'], ['rows', 'width', 'ld', 'add'], []),
  columnSum: spec(['dw'], ['dy', 'x', 'keep'], ['rows', 'ld'], []),
  attentionGrad: spec(
    ['dq', 'dk', 'dv'],
    ['dOut', 'out', 'q', 'k', 'lse', 'pages', 'tables', 'sequences'],
    ['count', 'heads', 'kvHeads', 'dim', 'ldq', 'ldk', 'rows'],
    ['scale'],
  ),
  swigluGrad: spec(['dGate', 'dUp'], ['dOut', 'gate', 'up'], ['words'], []),
  embedGrad: spec(['table'], ['dx', 'ids'], ['rows', 'k'], []),
  squareSum: spec(['out'], ['g'], ['words'], []),
  clip: spec(['scale'], ['partials', 'logps'], ['count', 'rows'], ['limit']),
  adamw: spec(['p', 'm', 'v'], ['g', 'scale'], ['words'], ['keep', 'b1', 'c1', 'b2', 'c2', 'step', 'root', 'eps']),
} satisfies Record<string, OpSpec>;

export type OpName = keyof typeof OPS;
export const OP_NAMES = Object.keys(OPS) as OpName[];

/** A place in a buffer; offset in 32-bit words. */
export interface Ref {
  readonly buffer: number;
  readonly offset: number;
}

export const at = (ref: Ref, words: number): Ref => ({ buffer: ref.buffer, offset: ref.offset + words });

type Spec<K extends OpName> = (typeof OPS)[K];
export type OpArgs<K extends OpName> = Record<Spec<K>['out'][number] | Spec<K>['in'][number], Ref | null> &
  Record<Spec<K>['int'][number] | Spec<K>['real'][number], number>;

export interface PlanOp {
  readonly name: OpName;
  /** Operands in the order out, in; then the numbers. */
  readonly refs: readonly (Ref | null)[];
  readonly ints: readonly number[];
  readonly reals: readonly number[];
}
