// Learning-rate schedules as pure functions of the step. Knows nothing of optimisers.

export interface Schedule {
  /** The highest rate. */
  peak: number;
  /** Steps of linear rise from 0. */
  warmup: number;
  /** Steps in all, warm-up included. */
  total: number;
  /** Rate at the end as a share of the peak; 1 holds the peak. */
  floor: number;
}

/** Linear warm-up, then a cosine from the peak to peak x floor (Loshchilov & Hutter 2017). `step` counts from 0. */
export function warmupCosine({ peak, warmup, total, floor }: Schedule, step: number): number {
  if (step < warmup) return (peak * (step + 1)) / warmup;
  const progress = Math.min(1, (step - warmup) / Math.max(1, total - warmup));
  return peak * (floor + ((1 - floor) * (1 + Math.cos(Math.PI * progress))) / 2);
}
