// Waits for something that may never come. Counts ticks of a timer, not time: a machine that sleeps does not tick, and
// nothing is blamed for our own sleep.

const TICKS = 20;

export interface Patience {
  ms: number;
  /** What it rejects with when nothing was heard of for `ms`. */
  late: () => unknown;
  /** Rejects at once, whatever is under way. */
  broken?: Promise<never>;
}

/** `work` calls `heard` whenever there is a sign of life. */
export function patiently<T>(work: (heard: () => void) => Promise<T>, { ms, late, broken }: Patience): Promise<T> {
  let silent = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      silent += 1;
      if (silent > TICKS) reject(late());
    }, ms / TICKS);
  });
  const heard = () => {
    silent = 0;
  };
  return Promise.race([work(heard), stalled, ...(broken ? [broken] : [])]).finally(() => clearInterval(timer));
}
