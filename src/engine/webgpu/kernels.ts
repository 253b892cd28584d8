// Which WGSL computes an op, in what parts, on how many workgroups. The maths stands in each kernel's header.
// Knows nothing of devices.
import { PAGE, UNIT } from '../plan/shape.ts';
import type { OpName } from '../plan/ops.ts';
import adamw from './kernels/adamw.wgsl?raw';
import attentionFree from './kernels/attention-free.wgsl?raw';
import attentionGradKvFree from './kernels/attention-grad-kv-free.wgsl?raw';
import attentionGradKv from './kernels/attention-grad-kv.wgsl?raw';
import attentionGradQFree from './kernels/attention-grad-q-free.wgsl?raw';
import attentionGradQ from './kernels/attention-grad-q.wgsl?raw';
import attention from './kernels/attention.wgsl?raw';
import blocks from './kernels/blocks.wgsl?raw';
import clip from './kernels/clip.wgsl?raw';
import columnSum from './kernels/column-sum.wgsl?raw';
import crossEntropy from './kernels/cross-entropy.wgsl?raw';
import eights from './kernels/eights.wgsl?raw';
import embedGrad from './kernels/embed-grad.wgsl?raw';
import embed from './kernels/embed.wgsl?raw';
import free from './kernels/free.wgsl?raw';
import linearDw from './kernels/linear-dw.wgsl?raw';
import linearDx from './kernels/linear-dx.wgsl?raw';
import linearFew from './kernels/linear-few.wgsl?raw';
import linear from './kernels/linear.wgsl?raw';
import moveRows from './kernels/move-rows.wgsl?raw';
import pair from './kernels/pair.wgsl?raw';
import reduce from './kernels/reduce.wgsl?raw';
import registers from './kernels/registers.wgsl?raw';
import rmsNormGrad from './kernels/rms-norm-grad.wgsl?raw';
import rmsNorm from './kernels/rms-norm.wgsl?raw';
import rope from './kernels/rope.wgsl?raw';
import sample from './kernels/sample.wgsl?raw';
import squareSum from './kernels/square-sum.wgsl?raw';
import storeKv from './kernels/store-kv.wgsl?raw';
import swigluGrad from './kernels/swiglu-grad.wgsl?raw';
import swiglu from './kernels/swiglu.wgsl?raw';
import tile from './kernels/tile.wgsl?raw';
import weight from './kernels/weight.wgsl?raw';
import zero from './kernels/zero.wgsl?raw';
import type { Variants } from './variants.ts';

/** An op's numbers by name; `first` and `end`: the rows of its weight in the buffer that it reads. */
export type Numbers = Readonly<Record<string, number>>;

/** One dispatch of an op. */
export interface Dispatch {
  name: string;
  /** WGSL after the prelude. */
  parts: readonly string[];
  /** Numbers that are compiled in. */
  constants: Readonly<Record<string, number>>;
  groups: number;
}

if (PAGE !== 32 || UNIT !== 16) throw new Error('attention.wgsl knows pages of 32 keys and units of 16 queries');

const over = (items: number, width: number): number => Math.ceil(items / width);

const each = (name: string, source: string, items: number, width = 256): Dispatch[] => [
  { name, parts: [source], constants: {}, groups: over(items, width) },
];
/** One workgroup a row. */
const byRow = (name: string, source: string, rows: number, width: number): Dispatch[] => [
  { name, parts: [reduce, source], constants: { WIDTH: width }, groups: rows },
];

/** Outputs along a tile's side: SIDE in tile.wgsl. */
const SIDE = 32;

/** A product of rows x columns. */
const product = (
  { products }: Variants,
  name: string,
  parts: string[],
  rows: number,
  columns: number,
  constants: Numbers,
): Dispatch[] =>
  products === 'registers'
    ? [
        {
          ...{ name: `${name}-free`, parts: [registers, free, ...parts], constants },
          groups: over(over(rows, 8) * over(columns, 8), 16),
        },
      ]
    : [{ name, parts: [tile, ...parts], constants, groups: over(rows, SIDE) * over(columns, SIDE) }];

/** A workgroup a block of up to 16 queries or keys. */
const attend = (name: string, parts: string[], groups: number, dim: number): Dispatch => ({
  ...{ name, parts, constants: { DIM: dim, LANES: 128, BLOCK: 16 }, groups },
});
/** The same without workgroup memory: an invocation eight queries or keys. */
const attendFree = (name: string, parts: string[], items: number, dim: number): Dispatch => ({
  ...{ name: `${name}-free`, parts: [registers, eights, ...parts], constants: { DIM: dim, BLOCK: 8 } },
  groups: over(items, 4),
});

/** The dispatches of each op, in order. */
export const DISPATCHES: Record<OpName, (n: Numbers, variants: Variants) => Dispatch[]> = {
  embed: (n) => [
    {
      ...{ name: 'embed', parts: [weight, embed], constants: { DTYPE: n.dtype!, FIRST: n.first!, END: n.end! } },
      groups: over(n.rows! * n.k!, 256),
    },
  ],
  rmsNorm: (n, { sums }) => byRow('rms-norm', rmsNorm, n.rows!, sums === 'narrow' ? 4 : 64),
  linear: (n, variants) =>
    n.rows! <= variants.few
      ? [
          {
            ...{ name: 'linear-few', parts: [weight, linearFew], constants: { DTYPE: n.dtype! } },
            groups: over(n.rows! * n.n!, 64),
          },
        ]
      : product(variants, 'linear', [weight, pair, linear], n.rows!, n.n!, { DTYPE: n.dtype! }),
  rope: (n) => each('rope', rope, n.rows! * n.heads! * (n.dim! / 2)),
  storeKv: (n) => each('store-kv', storeKv, n.rows! * n.heads! * n.dim!),
  attention: (n, { attention: kind }) =>
    kind === 'registers'
      ? [attendFree('attention', [attentionFree], n.count! * 2 * n.heads!, n.dim!)]
      : [attend('attention', [attention], n.count! * n.heads!, n.dim!)],
  swiglu: (n) => each('swiglu', swiglu, n.words!),
  moveRows: (n) => each('move-rows', moveRows, n.rows! * n.width!),
  crossEntropy: (n, { sums }) => byRow('cross-entropy', crossEntropy, n.rows!, sums === 'narrow' ? 4 : 128),
  sample: (n) => byRow('sample', sample, n.rows!, 128),
  zero: (n) => each('zero', zero, n.words!),
  linearDx: (n, variants) =>
    product(variants, 'linear-dx', [weight, pair, linearDx], n.rows!, n.k!, { DTYPE: n.dtype! }),
  linearDw: (n, variants) => product(variants, 'linear-dw', [linearDw], n.n!, n.k!, {}),
  rmsNormGrad: (n, { sums }) => byRow('rms-norm-grad', rmsNormGrad, n.rows!, sums === 'narrow' ? 4 : 64),
  columnSum: (n) => each('column-sum', columnSum, n.ld!, 64),
  attentionGrad: (n, { attention: kind }) => {
    const free = kind === 'registers';
    const size = free ? 8 : 16;
    const most = Math.floor(n.rows! / size) + n.count!; // whole blocks of rows, and a rest for each sequence
    const make = free ? attendFree : attend;
    return [
      make('attention-grad-q', [blocks, free ? attentionGradQFree : attentionGradQ], most * n.heads!, n.dim!),
      make('attention-grad-kv', [blocks, free ? attentionGradKvFree : attentionGradKv], most * n.kvHeads!, n.dim!),
    ];
  },
  swigluGrad: (n) => each('swiglu-grad', swigluGrad, n.words!),
  embedGrad: (n) => each('embed-grad', embedGrad, n.k!, 64),
  squareSum: (n) => byRow('square-sum', squareSum, over(n.words!, 4096), 256),
  clip: () => byRow('clip', clip, 1, 256),
  adamw: (n) => each('adamw', adamw, n.words!),
};

/** The operand whose storage type is the op's `dtype`. */
export const WEIGHT_OPERAND: Partial<Record<OpName, string>> = { embed: 'table', linear: 'w', linearDx: 'w' };
