// One decoder block as ops, backward: from the gradient of its output to that of its input, leaving the gradients of
// what trains (LoRA pairs or all weights) in flat buffers. Knows nothing of losses and optimisers.
import { linearShape } from '../model/tensors.ts';
import type { LoraTarget } from '../types.ts';
import { type Context, type LayerBuffers, type LoraUse } from './layer.ts';
import { at, type Ref } from './ops.ts';
import { INPUT_GROUPS, linearName, pad8 } from './shape.ts';

/** What trains: a LoRA adapter's flat buffer (its gradient has the same layout), or every base tensor. */
export type Trained = { kind: 'lora'; lora: LoraUse; grad: Ref } | { kind: 'all'; grad: (name: string) => Ref };

/** Backward of the linears of one input group. `into` (null: not wanted) receives or adds up the input's gradient. */
function linearsGrad(
  c: Context,
  trained: Trained,
  layer: number,
  group: number,
  x: Ref,
  dys: readonly Ref[],
  t: LayerBuffers['t'],
  into: Ref | null,
): void {
  const { b, config, rows } = c;
  const targets = INPUT_GROUPS[group]!;
  const k = pad8(linearShape(config, targets[0]!)[1]);
  const wide = (target: LoraTarget) => pad8(linearShape(config, target)[0]);
  const lora = trained.kind === 'lora' ? trained.lora : null;
  const pairs = targets.map((target) => lora?.layout.pairs.get(`${layer}.${target}`));
  const used = pairs.filter((pair) => pair !== undefined);
  const rank = lora ? pad8(lora.rank) : 0;
  const ldt = rank * used.length;
  const dt = used.length > 0 ? b.temp(rows * ldt) : null;

  targets.forEach((target, i) => {
    const n = wide(target);
    const dy = dys[i]!;
    const pair = pairs[i];
    if (trained.kind === 'all') {
      const name = linearName(layer, target);
      b.op('linearDw', { dw: trained.grad(`${name}.weight`), dy, x, rows, k, n, ldy: n, ldx: k, add: 1 });
      if (config.qkvBias && group === 0) {
        b.op('columnSum', { dw: trained.grad(`${name}.bias`), dy, x: null, keep: null, rows, ld: n });
      }
    } else if (pair && dt && lora) {
      const low = t.get(target)!;
      const dw = at(trained.grad, pair.b.offset);
      b.op('linearDw', { dw, dy, x: low.ref, rows, k: rank, n, ldy: n, ldx: low.ld, add: 1 });
      b.op('linearDx', {
        ...{
          out: at(dt, used.indexOf(pair) * rank),
          dy,
          w: at(b.bound(lora.buffer), pair.b.offset),
          dt: null,
          a: null,
        },
        ...{ dtype: 0, rows, k: rank, n, ldo: ldt, ldy: n, add: 0, rank: 0, ldt: 0, alpha: lora.scale },
      });
    }
  });
  if (trained.kind === 'lora' && dt) {
    const dw = at(trained.grad, used[0]!.a.offset);
    b.op('linearDw', { dw, dy: dt, x, rows, k, n: ldt, ldy: ldt, ldx: k, add: 1 });
  }
  if (!into) return;
  targets.forEach((target, i) => {
    const name = `${linearName(layer, target)}.weight`;
    const n = wide(target);
    const withLora = lora && dt && i === targets.length - 1;
    b.op('linearDx', {
      ...{ out: into, dy: dys[i]!, w: b.bound(name), dt: withLora ? dt : null },
      a: withLora ? at(b.bound(lora.buffer), used[0]!.a.offset) : null,
      ...{ dtype: c.dtype(name), rows, k, n, ldo: k, ldy: n, add: i > 0 ? 1 : 0, rank: ldt, ldt, alpha: 1 },
    });
  });
}

function normGrad(
  c: Context,
  trained: Trained,
  weight: string,
  dx: Ref,
  dy: Ref,
  x: Ref,
  keep: Ref,
  rows: number,
  width: number,
  add: number,
): void {
  const ld = pad8(width);
  if (trained.kind === 'all') c.b.op('columnSum', { dw: trained.grad(weight), dy, x, keep, rows, ld });
  c.b.op('rmsNormGrad', { dx, dy, x, w: c.b.bound(weight), keep, rows, width, ld, add });
}

/** `d` holds the gradient of the block's output and then, unless `stop`, that of its input. */
export function layerBackward(
  c: Context,
  trained: Trained,
  layer: number,
  s: LayerBuffers,
  d: Ref,
  sequences: { ref: Ref; count: number },
  stop: boolean,
): void {
  const { b, config, rows } = c;
  const { hidden, heads, kvHeads, headDim: dim, ffn } = config;
  const prefix = `model.layers.${layer}`;
  const ldq = pad8(heads * dim);
  const ldk = pad8(kvHeads * dim);
  const words = rows * pad8(ffn);

  const dAct = b.temp(words);
  linearsGrad(c, trained, layer, 3, s.act, [d], s.t, dAct);
  const dGate = b.temp(words);
  const dUp = b.temp(words);
  b.op('swigluGrad', { dGate, dUp, dOut: dAct, gate: s.gate, up: s.up, words });
  const dH2 = b.temp(rows * pad8(hidden));
  linearsGrad(c, trained, layer, 2, s.h2, [dGate, dUp], s.t, dH2);
  normGrad(c, trained, `${prefix}.post_attention_layernorm.weight`, d, dH2, s.mid, s.keep2, rows, hidden, 1);

  const dAttn = b.temp(rows * ldq);
  linearsGrad(c, trained, layer, 1, s.attn, [d], s.t, dAttn);
  let dq = b.temp(rows * ldq);
  let dk = b.temp(rows * ldk);
  const dv = b.temp(rows * ldk);
  b.op('attentionGrad', {
    ...{ dq, dk, dv, dOut: dAttn, out: s.attn, q: s.q, k: s.k, lse: s.lse, pages: c.pages(layer), tables: c.tables },
    ...{
      sequences: sequences.ref,
      count: sequences.count,
      heads,
      kvHeads,
      dim,
      ldq,
      ldk,
      rows,
      scale: 1 / Math.sqrt(dim),
    },
  });
  const { positions, ropeTable: table } = c;
  b.op('rope', { x: dq, positions, table, rows, heads, dim, ld: ldq, direction: -1 });
  b.op('rope', { x: dk, positions, table, rows, heads: kvHeads, dim, ld: ldk, direction: -1 });
  if (s.keepQ && s.keepK) {
    const [dq0, dk0] = [b.temp(rows * ldq), b.temp(rows * ldk)];
    const name = (which: string) => `${prefix}.self_attn.${which}_norm.weight`;
    normGrad(c, trained, name('q'), dq0, dq, s.q0, s.keepQ, rows * heads, dim, 0);
    normGrad(c, trained, name('k'), dk0, dk, s.k0, s.keepK, rows * kvHeads, dim, 0);
    [dq, dk] = [dq0, dk0];
  }
  const dH1 = stop ? null : b.temp(rows * pad8(hidden));
  linearsGrad(c, trained, layer, 0, s.h1, [dq, dk, dv], s.t, dH1);
  if (dH1) normGrad(c, trained, `${prefix}.input_layernorm.weight`, d, dH1, s.x, s.keep1, rows, hidden, 1);
}
