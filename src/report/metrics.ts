// The protocol's curve metrics: Avg, Max, final change, AUC+, NABA, normalised score. Knows numbers only.
import type { Baselines } from './types.ts';

/** A checkpoint's x (exploration episodes) and y (mean strict score). */
export type Point = readonly [x: number, y: number];

export interface CurveMetrics {
  avg: number | null;
  max: number | null;
  first: number | null;
  last: number | null;
  finalChange: number | null;
  aucPlus: number | null;
  naba: number | null;
}

/** Metrics of a curve whose failed checkpoints are already left out, ascending in x. `eps`: first score step. */
export function curveMetrics(points: readonly Point[], eps: number): CurveMetrics {
  if (points.length === 0) {
    return { avg: null, max: null, first: null, last: null, finalChange: null, aucPlus: null, naba: null };
  }
  const ys = points.map(([, y]) => y);
  const first = ys[0]!;
  const last = ys.at(-1)!;
  const auc = aucPlus(points);
  return {
    avg: ys.reduce((sum, y) => sum + y, 0) / ys.length,
    max: Math.max(...ys),
    first,
    last,
    finalChange: last - first,
    aucPlus: auc,
    naba: auc / Math.max(first, eps),
  };
}

/**
 * AUC+ = integral over x of max(0, y(x) - y_0), y piecewise linear, clipped at the line's zero crossings (not at the
 * checkpoints): x = 0,3,6 and y = 1,0,2 give 0.75. Unit: score times episodes. Source: arXiv 2608.31100, protocol.md.
 */
export function aucPlus(points: readonly Point[]): number {
  let area = 0;
  const base = points[0]?.[1] ?? 0;
  for (let i = 1; i < points.length; i++) {
    const width = points[i]![0] - points[i - 1]![0];
    const from = points[i - 1]![1] - base;
    const to = points[i]![1] - base;
    if (from >= 0 && to >= 0) area += (width * (from + to)) / 2;
    else if (from > 0 || to > 0) {
      // The positive side of the crossing is a triangle: height h, width * h / |from - to|.
      const height = Math.max(from, to);
      area += (width * height * height) / (2 * Math.abs(from - to));
    }
  }
  return area;
}

/** (y - R) / (E - R), not clipped; null without baselines, or where expert and random are equal. */
export function normalised(y: number | null, baselines: Baselines | null): number | null {
  const range = spanOf(baselines);
  return y === null || range === null ? null : (y - baselines!.random) / range;
}

/** A difference of scores in the same unit: d / (E - R). */
export function normalisedDelta(delta: number | null, baselines: Baselines | null): number | null {
  const range = spanOf(baselines);
  return delta === null || range === null ? null : delta / range;
}

function spanOf(baselines: Baselines | null): number | null {
  const range = baselines ? baselines.expert - baselines.random : 0;
  return range > 0 ? range : null;
}
