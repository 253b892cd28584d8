// Pearson, Spearman and the gap between best and worst third. Knows pairs of numbers only.
import type { Correlation } from './types.ts';

export type Pair = readonly [x: number, y: number];

/** Of fewer than three pairs, or where one side does not vary, there is no correlation: null. */
export function correlate(pairs: readonly Pair[]): Correlation {
  // Sorted, so that sums do not depend on the order of the logs.
  const sorted = [...pairs].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const xs = sorted.map(([x]) => x);
  const ys = sorted.map(([, y]) => y);
  return { n: pairs.length, pearson: pearson(xs, ys), spearman: pearson(ranks(xs), ranks(ys)), gap: thirdsGap(sorted) };
}

export function pearson(xs: readonly number[], ys: readonly number[]): number | null {
  if (xs.length < 3) return null;
  const mx = mean(xs);
  const my = mean(ys);
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (const [i, x] of xs.entries()) {
    const dx = x - mx;
    const dy = ys[i]! - my;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  const scale = Math.sqrt(xx * yy);
  return scale > 1e-15 ? Math.min(1, Math.max(-1, xy / scale)) : null;
}

/** Ranks from 1, ties share their mean rank. */
export function ranks(values: readonly number[]): number[] {
  const order = values.map((value, i) => ({ value, i })).sort((a, b) => a.value - b.value);
  const ranked = new Array<number>(values.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to + 1 < order.length && order[to + 1]!.value === order[from]!.value) to++;
    for (let k = from; k <= to; k++) ranked[order[k]!.i] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return ranked;
}

/**
 * Mean y of the floor(n / 3) pairs with the highest x minus that of the lowest. Pairs that tie in x at a border share
 * the places left, so that no order among equals matters. Null under three pairs.
 */
export function thirdsGap(pairs: readonly Pair[]): number | null {
  const size = Math.floor(pairs.length / 3);
  if (size === 0) return null;
  const ascending = [...pairs].sort((a, b) => a[0] - b[0]);
  const low = firstMean(ascending, size);
  const high = firstMean(ascending.reverse(), size);
  return high - low;
}

function firstMean(sorted: readonly Pair[], size: number): number {
  const border = sorted[size - 1]![0];
  const inside = sorted.slice(0, size).filter(([x]) => x !== border);
  const tied = sorted.filter(([x]) => x === border);
  const places = size - inside.length;
  return (inside.reduce((sum, [, y]) => sum + y, 0) + places * mean(tied.map(([, y]) => y))) / size;
}

const mean = (values: readonly number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;
