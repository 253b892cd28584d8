// The training step as one plan: gradient of the weighted log-likelihood (forward, loss on the rows that carry weight,
// backward) and, when the step is to be taken, the global norm, clipping and AdamW. What the forward pass does not keep is
// computed again when the backward pass reaches its block, in the room of the later ones (`recompute`).
import type { ModelConfig } from '../types.ts';
import type { Plan, PlanBuilder } from './builder.ts';
import { type BatchCounts, begin, gather, head, headName, headRows, pageWords } from './forward.ts';
import { type Context, type LayerBuffers, type LoraUse, layerForward, layerRefresh, rmsNorm } from './layer.ts';
import { layerBackward, type Trained } from './layer-grad.ts';
import { at, type Ref } from './ops.ts';
import { pad8 } from './shape.ts';

export interface TrainCounts extends BatchCounts {
  pages: number;
  sequences: number;
  /** Rows whose next token carries weight. */
  weighted: number;
  /**
   * 0 to 2 x layers. Up to `layers`: so many blocks, counted from the first, make the results of their norms and the
   * activation anew, which costs next to nothing. Beyond: all do, and so many of them keep only their input, keys, values,
   * the attention's output and its log-sum-exp, so that the products of q, k, o, gate and up are computed again.
   */
  recompute: number;
  /** Start the gradient anew instead of adding to it. */
  fresh: boolean;
}

export interface Flat {
  /** Words of the flat buffer of everything that trains. */
  words: number;
  /** Places of base tensors in it, when all weights train. */
  offsets: Map<string, number>;
}

export function trainPlan(
  config: ModelConfig,
  dtype: (name: string) => number,
  counts: TrainCounts,
  flat: Flat,
  lora: LoraUse | null,
  update: AdamWNumbers | null,
): Plan {
  const start = begin(config, dtype, counts, (b) => b.temp(counts.pages * pageWords(config)));
  const { c, ids } = start;
  const { b, rows } = c;
  const grad = b.bound('grad');
  const place = (name: string): Ref => at(grad, flat.offsets.get(name)!);
  const trained: Trained = lora ? { kind: 'lora', lora, grad } : { kind: 'all', grad: place };
  if (counts.fresh) b.op('zero', { out: grad, words: flat.words });

  let x = start.x;
  const layers: LayerBuffers[] = [];
  for (let layer = 0; layer < config.layers; layer++) {
    const buffers = layerForward(c, layer, x, true);
    layers.push(buffers);
    x = buffers.out;
  }
  const { d, logps } = lossGrad(c, x, counts.weighted, trained);
  const sequences = { ref: b.slot('sequences', counts.sequences * 3), count: counts.sequences };
  for (let layer = config.layers - 1; layer >= 0; layer--) {
    const kept = layers[layer]!;
    const { x: input, attn, lse } = kept;
    const saved =
      layer < counts.recompute - config.layers
        ? layerForward(c, layer, input, true, { attn, lse })
        : layer < counts.recompute
          ? layerRefresh(c, layer, kept)
          : kept;
    layerBackward(c, trained, layer, saved, d, sequences, trained.kind === 'lora' && layer === 0);
  }
  if (trained.kind === 'all') {
    b.op('embedGrad', { table: place('model.embed_tokens.weight'), dx: d, ids, rows, k: pad8(config.hidden) });
  }
  if (update) adamw(b, flat.words, logps, counts.weighted, update);
  return b.finish();
}

/** Loss over the weighted rows of x, in chunks of logits; d is the gradient of all rows of x. */
function lossGrad(c: Context, x: Ref, weighted: number, trained: Trained): { d: Ref; logps: Ref } {
  const { b, config, rows } = c;
  const [k, ld] = [pad8(config.hidden), pad8(config.vocab)];
  const index = b.slot('weightedRows', weighted);
  const chosen = gather(c, x, index, weighted);
  const keep = b.temp(weighted);
  const h = rmsNorm(c, chosen, 'model.norm.weight', weighted, config.hidden, keep);
  const [logps, lses] = [b.slot('logps', weighted), b.slot('lses', weighted)];
  const [targets, coefficients] = [b.slot('targets', weighted), b.slot('coefficients', weighted)];
  const dh = b.temp(weighted * k);
  const name = headName(config);
  const step = headRows(config);
  for (let row = 0; row < weighted; row += step) {
    const count = Math.min(step, weighted - row);
    const logits = b.temp(count * ld);
    const hidden = at(h, row * k);
    head(c, hidden, count, logits);
    b.op('crossEntropy', {
      ...{ logits, logps: at(logps, row), lses: at(lses, row), targets: at(targets, row) },
      ...{ coefficients: at(coefficients, row), rows: count, vocab: config.vocab, ld },
    });
    if (trained.kind === 'all') {
      b.op('linearDw', {
        dw: trained.grad(name),
        dy: logits,
        x: hidden,
        rows: count,
        k,
        n: ld,
        ldy: ld,
        ldx: k,
        add: 1,
      });
    }
    b.op('linearDx', {
      ...{ out: at(dh, row * k), dy: logits, w: b.bound(name), dt: null, a: null },
      ...{ dtype: c.dtype(name), rows: count, k, n: ld, ldo: k, ldy: ld, add: 0, rank: 0, ldt: 0, alpha: 1 },
    });
  }
  const dChosen = b.temp(weighted * k);
  if (trained.kind === 'all') {
    b.op('columnSum', { dw: trained.grad('model.norm.weight'), dy: dh, x: chosen, keep, rows: weighted, ld: k });
  }
  const w = b.bound('model.norm.weight');
  b.op('rmsNormGrad', { dx: dChosen, dy: dh, x: chosen, w, keep, rows: weighted, width: config.hidden, ld: k, add: 0 });
  const d = b.temp(rows * k);
  b.op('zero', { out: d, words: rows * k });
  b.op('moveRows', { out: d, x: dChosen, index, rows: weighted, width: k, scatter: 1 });
  return { d, logps };
}

export interface AdamWNumbers {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** Counted from 1. */
  step: number;
  /** Largest norm of the gradient; 0: any. */
  clip: number;
}

/** The step, from f64 partial sums of the gradient's squares (one per 4096 words); none where a number is not finite. */
function adamw(b: PlanBuilder, words: number, logps: Ref, rows: number, o: AdamWNumbers): void {
  const g = b.bound('grad');
  const count = Math.ceil(words / 4096);
  const partials = b.slot('partials', count * 2);
  const scale = b.temp(1);
  b.op('squareSum', { out: partials, g, words });
  b.op('clip', { scale, partials, logps, count, rows, limit: o.clip });
  b.op('adamw', {
    ...{ p: b.bound('parameters'), m: b.bound('m'), v: b.bound('v'), g, scale, words },
    ...{ keep: 1 - o.lr * o.weightDecay, b1: o.beta1, c1: 1 - o.beta1, b2: o.beta2, c2: 1 - o.beta2 },
    ...{ step: o.lr / (1 - o.beta1 ** o.step), root: Math.sqrt(1 - o.beta2 ** o.step), eps: o.eps },
  });
}
