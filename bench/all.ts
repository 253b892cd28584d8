// Every benchmark by its file's name. Runs in Node, a page or a worker alike.
import type { BenchResult } from './result.ts';

const modules = import.meta.glob<{ run(): Promise<BenchResult[]> }>('./*.bench.ts');

export const benchNames = Object.keys(modules).map((path) => path.slice(2, -'.bench.ts'.length));

/** `only`: one name, or '' for all. */
export async function runBenches(only = ''): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const [path, load] of Object.entries(modules)) {
    if (only !== '' && path !== `./${only}.bench.ts`) continue;
    results.push(...(await (await load()).run()));
  }
  return results;
}
