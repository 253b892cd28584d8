// Runs the benchmarks off the page's thread, where waiting for helper threads is allowed.
import { runBenches } from './all.ts';

onmessage = async ({ data }: MessageEvent<string>) => {
  try {
    postMessage(JSON.stringify({ results: await runBenches(data) }, null, 2));
  } catch (error) {
    postMessage(JSON.stringify({ error: String(error) }));
  }
};
