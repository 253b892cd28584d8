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

/** Slots and context that every plan begins with, and the embedded rows. `passes`: for how many the slots have room. */
export function begin(
  config: ModelConfig,
  dtype: (name: string) => number,
  counts: BatchCounts,
  pages: (b: PlanBuilder, layer: number) => Ref,
  passes = 1,
): { c: Context; x: Ref; ids: Ref } {
  const b = new PlanBuilder();
  const { rows, units, tableWords, groups } = counts;
  const perLayer = new Map<number, Ref>();
  const ids = b.slot('ids', rows);
  const c: Context = {
    ...{ b, config, dtype, rows, groups, unitCount: units, ropeTable: b.bound('rope') },
    positions: b.slot('positions', rows * passes),
    page: b.slot('page', rows * passes),
    tables: b.slot('tables', tableWords),
    units: b.slot('units', units * 4 * passes),
    pages: (layer) => {
      let ref = perLayer.get(layer);
      if (!ref) perLayer.set(layer, (ref = pages(b, layer)));
      return ref;
    },
  };
  return { c, x: embed(c, ids), ids };
}

function embed({ b, config, dtype, rows }: Context, ids: Ref): Ref {
  const k = pad8(config.hidden);
  const out = b.temp(rows * k);
  const name = 'model.embed_tokens.weight';
  b.op('embed', { out, table: b.bound(name), ids, dtype: dtype(name), rows, k });
  return out;
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

/**
 * Runs rows through the model, keys and values into `kv` pages; samples a token after each row named in `chosen`. More
 * than one pass: every row is one sequence's, all are chosen, and each sampled token is its row's id in the next pass;
 * the slots of later passes follow those of the first, and `next` says at which word of a pass's results each id is.
 */
export function generatePlan(
  config: ModelConfig,
  dtype: (name: string) => number,
  counts: BatchCounts & { chosen: number; maskWords: number; passes: number },
): Plan {
  const { rows, units, chosen, passes } = counts;
  const first = begin(config, dtype, counts, (b, layer) => at(b.bound('kv'), layer * pageWords(config)), passes);
  const { b } = first.c;
  const run = (c: Context, start: Ref): Ref => {
    let x = start;
    for (let layer = 0; layer < config.layers; layer++) x = layerForward(c, layer, x, false).out;
    return x;
  };
  let x = run(first.c, first.x);
  if (chosen === 0) return b.finish();
  const [index, masks] = [b.slot('chosen', chosen), b.slot('masks', counts.maskWords)];
  const [parameters, results] = [b.slot('parameters', chosen * 8 * passes), b.slot('results', chosen * 4 * passes)];
  const next = passes > 1 ? b.slot('next', rows) : null;
  for (let pass = 0; ; pass++) {
    const ld = pad8(config.vocab);
    const h = rmsNorm(first.c, gather(first.c, x, index, chosen), 'model.norm.weight', chosen, config.hidden, null);
    const logits = b.temp(chosen * ld);
    head(first.c, h, chosen, logits);
    const result = at(results, pass * chosen * 4);
    b.op('sample', {
      ...{ results: result, logits, parameters: at(parameters, pass * chosen * 8) },
      ...{ masks, rows: chosen, vocab: config.vocab, ld },
    });
    if (pass + 1 === passes) return b.finish();
    const ids = b.temp(rows);
    b.op('moveRows', { out: ids, x: result, index: next, rows, width: 1, scatter: 0 });
    const { positions, page, units: unit } = first.c;
    const later = (ref: Ref, words: number) => at(ref, (pass + 1) * words);
    const c = { ...first.c, positions: later(positions, rows), page: later(page, rows), units: later(unit, units * 4) };
    x = run(c, embed(c, ids));
  }
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
