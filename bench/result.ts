// What a benchmark returns, and how times are taken: in turns, medians. Runs in Node, a page or a worker alike.

export interface BenchResult {
  name: string;
  where: 'node' | 'chromium';
  engine: 'cpu' | 'webgpu';
  /** Runtime with its version, and threads. */
  host: string;
  /** Medians, both taken in turns in the same run. */
  oursMs: number;
  peer: string;
  peerMs: number;
  /** peer / ours: above 1 is faster than the peer. */
  ratio: number;
  /** Share of each op in our time, largest first. */
  shares: Record<string, number>;
  /** Which GPU. */
  adapter?: Record<string, string | boolean>;
  /** Further numbers. */
  facts?: Record<string, number>;
  /** The same in words. */
  notes?: string;
}

const inNode = typeof process === 'object' && process.versions?.node !== undefined;

/** Where this runs, as results say it. */
export const place = (threads: number): Pick<BenchResult, 'where' | 'host'> => {
  const browser = /(Chrome|Firefox|Version)\/[\d.]+/.exec(globalThis.navigator?.userAgent ?? '')?.[0] ?? 'browser';
  const runtime = inNode ? `Node ${process.versions.node}` : browser;
  return { where: inNode ? 'node' : 'chromium', host: `${runtime}, ${threads} thread${threads === 1 ? '' : 's'}` };
};

export const median = (times: number[]): number => {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Median milliseconds of each piece of work, run in turns so that a slow spell hits all alike. */
export async function inTurns(rounds: number, works: (() => Promise<unknown>)[]): Promise<number[]> {
  const times = works.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++) {
    for (const [i, work] of works.entries()) {
      const start = performance.now();
      await work();
      times[i]!.push(performance.now() - start);
    }
  }
  return times.map(median);
}

export function sharesOf(times: ReadonlyMap<string, number>): Record<string, number> {
  const total = [...times.values()].reduce((a, b) => a + b, 0);
  const sorted = [...times].sort((a, b) => b[1] - a[1]);
  return Object.fromEntries(sorted.map(([name, ms]) => [name, Math.round((ms / total) * 1000) / 1000]));
}
