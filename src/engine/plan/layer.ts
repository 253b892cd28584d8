// One decoder block as ops, forward. Returns every buffer by name, so that a backward pass that refers to one keeps it
// alive, and one that does not lets it go. Knows nothing of batches beyond their counts.
import { linearShape } from '../model/tensors.ts';
import type { LoraTarget, ModelConfig } from '../types.ts';
import type { PlanBuilder } from './builder.ts';
import { at, type Ref } from './ops.ts';
import { INPUT_GROUPS, type LoraLayout, linearName, pad8 } from './shape.ts';

/** Rows that share an adapter (or none): a batch is a list of these, in row order. */
export interface RowGroup {
  row: number;
  rows: number;
  lora: LoraUse | null;
}

export interface LoraUse {
  /** Name under which the executor binds the flat buffer. */
  buffer: string;
  layout: LoraLayout;
  rank: number;
  scale: number;
}

/** What all ops of a plan share. */
export interface Context {
  b: PlanBuilder;
  config: ModelConfig;
  /** Code of a weight's storage type. */
  dtype: (name: string) => number;
  rows: number;
  groups: RowGroup[];
  positions: Ref;
  page: Ref;
  tables: Ref;
  units: Ref;
  unitCount: number;
  ropeTable: Ref;
  /** Pages of a layer. */
  pages: (layer: number) => Ref;
}

export interface LayerBuffers {
  x: Ref;
  keep1: Ref;
  h1: Ref;
  /** t = scale x A^T of each LoRA target, with its row stride; present only where one group covers all rows. */
  t: Map<LoraTarget, { ref: Ref; ld: number }>;
  /** Before and after q/k norm and rotation; the same buffer where there is no norm. */
  q0: Ref;
  k0: Ref;
  keepQ: Ref | null;
  keepK: Ref | null;
  q: Ref;
  k: Ref;
  v: Ref;
  attn: Ref;
  lse: Ref | null;
  mid: Ref;
  keep2: Ref;
  h2: Ref;
  gate: Ref;
  up: Ref;
  act: Ref;
  out: Ref;
}

/** What a recomputed forward pass need not do again; its keys and values are still in their pages. */
export interface Kept {
  attn: Ref;
  lse: Ref | null;
}

export function rmsNorm(c: Context, x: Ref, weight: string, rows: number, width: number, keep: Ref | null): Ref {
  const ld = pad8(width);
  const out = c.b.temp(rows * ld);
  c.b.op('rmsNorm', { out, keep, x, w: c.b.bound(weight), rows, width, ld, eps: c.config.normEps });
  return out;
}

/** The linear layers of one input group, LoRA pairs included. `residual` is added to the result. */
function linears(c: Context, layer: number, group: number, x: Ref, t: LayerBuffers['t'], residual: Ref | null): Ref[] {
  const { b, config } = c;
  const targets = INPUT_GROUPS[group]!;
  const k = pad8(linearShape(config, targets[0]!)[1]);
  const outs = targets.map((target) => b.temp(c.rows * pad8(linearShape(config, target)[0])));
  for (const { row, rows, lora } of c.groups) {
    const pairs = targets.map((target) => lora?.layout.pairs.get(`${layer}.${target}`));
    const used = pairs.filter((pair) => pair !== undefined);
    const rank = lora ? pad8(lora.rank) : 0;
    const ldt = rank * used.length;
    const low = used.length > 0 ? b.temp(rows * ldt) : null;
    if (low && lora) {
      const w = at(b.bound(lora.buffer), used[0]!.a.offset);
      b.op('linear', {
        ...{ out: low, x: at(x, row * k), w, init: null, t: null, b: null, alpha: lora.scale },
        ...{ dtype: 0, rows, k, n: ldt, ldo: ldt, ldx: k, ldi: 0, rank: 0, ldt: 0 },
      });
    }
    targets.forEach((target, i) => {
      const n = pad8(linearShape(config, target)[0]);
      const name = linearName(layer, target);
      const bias = group === 0 && config.qkvBias;
      const pair = pairs[i];
      const mine = pair && low ? at(low, used.indexOf(pair) * rank) : null;
      if (mine && c.groups.length === 1) t.set(target, { ref: mine, ld: ldt });
      b.op('linear', {
        ...{ out: at(outs[i]!, row * n), x: at(x, row * k), w: b.bound(`${name}.weight`), alpha: 1 },
        init: residual ? at(residual, row * n) : bias ? b.bound(`${name}.bias`) : null,
        ...{ t: mine, b: pair && lora ? at(b.bound(lora.buffer), pair.b.offset) : null },
        ...{ dtype: c.dtype(`${name}.weight`), rows, k, n, ldo: n, ldx: k, ldi: residual ? n : 0, rank, ldt },
      });
    });
  }
  return outs;
}

export function layerForward(c: Context, layer: number, x: Ref, keepLse: boolean, kept?: Kept): LayerBuffers {
  const { b, config, rows } = c;
  const { hidden, heads, kvHeads, headDim: dim } = config;
  const prefix = `model.layers.${layer}`;
  const ldq = pad8(heads * dim);
  const ldk = pad8(kvHeads * dim);
  const t: LayerBuffers['t'] = new Map();

  const keep1 = b.temp(rows);
  const h1 = rmsNorm(c, x, `${prefix}.input_layernorm.weight`, rows, hidden, keep1);
  const [q0, k0, v] = linears(c, layer, 0, h1, t, null) as [Ref, Ref, Ref];
  const norm = config.qkNorm;
  const keepQ = norm ? b.temp(rows * heads) : null;
  const keepK = norm ? b.temp(rows * kvHeads) : null;
  const q = norm ? rmsNorm(c, q0, `${prefix}.self_attn.q_norm.weight`, rows * heads, dim, keepQ) : q0;
  const k = norm ? rmsNorm(c, k0, `${prefix}.self_attn.k_norm.weight`, rows * kvHeads, dim, keepK) : k0;
  const { positions, page } = c;
  b.op('rope', { x: q, positions, table: c.ropeTable, rows, heads, dim, ld: ldq, direction: 1 });
  b.op('rope', { x: k, positions, table: c.ropeTable, rows, heads: kvHeads, dim, ld: ldk, direction: 1 });
  const pages = c.pages(layer);
  if (!kept) b.op('storeKv', { pages, k, v, positions, page, rows, heads: kvHeads, dim, ld: ldk });
  const attn = kept?.attn ?? b.temp(rows * ldq);
  const lse = kept?.lse ?? (keepLse ? b.temp(rows * heads) : null);
  if (!kept) {
    b.op('attention', {
      ...{ out: attn, lse, q, pages, tables: c.tables, units: c.units },
      ...{ count: c.unitCount, heads, kvHeads, dim, ld: ldq, scale: 1 / Math.sqrt(dim) },
    });
  }
  const [mid] = linears(c, layer, 1, attn, t, x) as [Ref];

  const keep2 = b.temp(rows);
  const h2 = rmsNorm(c, mid, `${prefix}.post_attention_layernorm.weight`, rows, hidden, keep2);
  const [gate, up] = linears(c, layer, 2, h2, t, null) as [Ref, Ref];
  const act = swiglu(c, gate, up);
  const [out] = linears(c, layer, 3, act, t, mid) as [Ref];
  return { x, keep1, h1, t, q0, k0, keepQ, keepK, q, k, v, attn, lse, mid, keep2, h2, gate, up, act, out };
}

function swiglu(c: Context, gate: Ref, up: Ref): Ref {
  const words = c.rows * pad8(c.config.ffn);
  const out = c.b.temp(words);
  c.b.op('swiglu', { out, gate, up, words });
  return out;
}

/** The block's buffers with those made anew that cost no product: both norms' results and the activation. */
export function layerRefresh(c: Context, layer: number, s: LayerBuffers): LayerBuffers {
  const { rows } = c;
  const { hidden } = c.config;
  const prefix = `model.layers.${layer}`;
  const act = swiglu(c, s.gate, s.up);
  const h2 = rmsNorm(c, s.mid, `${prefix}.post_attention_layernorm.weight`, rows, hidden, null);
  const h1 = rmsNorm(c, s.x, `${prefix}.input_layernorm.weight`, rows, hidden, null);
  return { ...s, h1, h2, act };
}
