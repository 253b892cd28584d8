// Plans without a gradient: generation (prefill and decode are the same list over different rows) and scoring.
// Knows counts only; ids, positions, page tables are slots that the executor's host fills.
import type { ModelConfig } from '../types.ts';
import { PlanBuilder, type Plan } from './builder.ts';
import { type Context, type RowGroup, layerForward, rmsNorm } from './layer.ts';
import { at, type Ref } from './ops.ts';
import { PAGE, pad8 } from './shape.ts';

export interface BatchCounts {
  rows: number;
  units: number;
  /** Entries of all page tables together. */
  tableWords: number;
  groups: RowGroup[];
}

/** Words of one page of one layer. */
export const pageWords = (config: ModelConfig): number => 2 * PAGE * config.kvHeads * config.headDim;

export const headName = (config: ModelConfig): string => (config.tied ? 'model.embed_tokens.weight' : 'lm_head.weight');

/** Slots and context that every plan begins with, and the embedded rows. */
export function begin(
  config: ModelConfig,
  dtype: (name: string) => number,
  counts: BatchCounts,
  pages: (b: PlanBuilder, layer: number) => Ref,
): { c: Context; x: Ref; ids: Ref } {
  const b = new PlanBuilder();
  const { rows, units, tableWords, groups } = counts;
  const perLayer = new Map<number, Ref>();
  const ids = b.slot('ids', rows);
  const c: Context = {
    ...{ b, config, dtype, rows, groups, unitCount: units, ropeTable: b.bound('rope') },
    positions: b.slot('positions', rows),
    page: b.slot('page', rows),
    tables: b.slot('tables', tableWords),
    units: b.slot('units', units * 4),
    pages: (layer) => {
      let ref = perLayer.get(layer);
      if (!ref) perLayer.set(layer, (ref = pages(b, layer)));
      return ref;
    },
  };
  const k = pad8(config.hidden);
  const x = b.temp(rows * k);
  const name = 'model.embed_tokens.weight';
  b.op('embed', { out: x, table: b.bound(name), ids, dtype: dtype(name), rows, k });
  return { c, x, ids };
}

export function head(c: Context, x: Ref, rows: number, out: Ref): void {
  const [k, n] = [pad8(c.config.hidden), pad8(c.config.vocab)];
  const name = headName(c.config);
  c.b.op('linear', {
    ...{ out, x, w: c.b.bound(name), init: null, t: null, b: null, alpha: 1 },
    ...{ dtype: c.dtype(name), rows, k, n, ldo: n, ldx: k, ldi: 0, rank: 0, ldt: 0 },
  });
}

export function gather(c: Context, x: Ref, index: Ref, rows: number): Ref {
  const width = pad8(c.config.hidden);
  const out = c.b.temp(rows * width);
  c.b.op('moveRows', { out, x, index, rows, width, scatter: 0 });
  return out;
}

/** Runs rows through the model, keys and values into `kv` pages; samples a token after each row named in `chosen`. */
export function generatePlan(
  config: ModelConfig,
  dtype: (name: string) => number,
  counts: BatchCounts & { chosen: number; maskWords: number },
): Plan {
  const start = begin(config, dtype, counts, (b, layer) => at(b.bound('kv'), layer * pageWords(config)));
  const { c } = start;
  let x = start.x;
  for (let layer = 0; layer < config.layers; layer++) x = layerForward(c, layer, x, false).out;
  const rows = counts.chosen;
  if (rows > 0) {
    const n = pad8(config.vocab);
    const h = rmsNorm(c, gather(c, x, c.b.slot('chosen', rows), rows), 'model.norm.weight', rows, config.hidden, null);
    const logits = c.b.temp(rows * n);
    head(c, h, rows, logits);
    c.b.op('sample', {
      ...{ results: c.b.slot('results', rows * 4), logits, parameters: c.b.slot('parameters', rows * 8) },
      ...{ masks: c.b.slot('masks', counts.maskWords), rows, vocab: config.vocab, ld: n },
    });
  }
  return c.b.finish();
}

/** Rows of logits held at once: about 8 MB, at least 16 rows. */
export const headRows = (config: ModelConfig): number =>
  Math.max(16, Math.floor((8 << 20) / (pad8(config.vocab) * 4) / 4) * 4);

/** Log-probability of each row's target and log-sum-exp; all logits of the `last` rows. */
export function scorePlan(
  config: ModelConfig,
  dtype: (name: string) => number,
  counts: BatchCounts & { pages: number; last: number },
): Plan {
  const start = begin(config, dtype, counts, (b) => b.temp(counts.pages * pageWords(config)));
  const { c } = start;
  let x = start.x;
  for (let layer = 0; layer < config.layers; layer++) x = layerForward(c, layer, x, false).out;
  const { b, rows } = c;
  const h = rmsNorm(c, x, 'model.norm.weight', rows, config.hidden, null);
  const [logps, lses, targets] = [b.slot('logps', rows), b.slot('lses', rows), b.slot('targets', rows)];
  const ld = pad8(config.vocab);
  const step = headRows(config);
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row);
    const logits = b.temp(count * ld);
    head(c, at(h, row * pad8(config.hidden)), count, logits);
    b.op('crossEntropy', {
      ...{ logits, logps: at(logps, row), lses: at(lses, row), targets: at(targets, row), coefficients: null },
      ...{ rows: count, vocab: config.vocab, ld },
    });
  }
  if (counts.last > 0) {
    const last = gather(c, h, b.slot('lastRows', counts.last), counts.last);
    head(c, last, counts.last, b.slot('last', counts.last * ld));
  }
  return b.finish();
}
