// llama.cpp, native, through node-llama-cpp. Its types are not those of this project's packages: what is used is spelled
// out here.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DECODE, longText, PREFILL, shortText, type Speeds } from './work.ts';

interface Sequence {
  clearHistory(): Promise<void>;
  evaluate(tokens: number[], options: { temperature: number; seed: number }): AsyncGenerator<number>;
  evaluateWithoutGeneratingNewTokens(tokens: number[]): Promise<void>;
}
interface NodeLlama {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{
      tokenize(text: string): number[];
      createContext(options: object): Promise<{ getSequence(): Sequence }>;
    }>;
    dispose(): Promise<void>;
  }>;
}

export async function nativeSpeeds(
  peers: string,
  model: string,
  threads: number,
): Promise<Speeds & { close(): Promise<void> }> {
  const entry = pathToFileURL(join(peers, 'node_modules/node-llama-cpp/dist/index.js')).href;
  const { getLlama } = (await import(/* @vite-ignore */ entry)) as NodeLlama;
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    logLevel: 'error',
    maxThreads: threads,
  });
  const loaded = await llama.loadModel({ modelPath: model });
  const context = await loaded.createContext({ contextSize: 1024, batchSize: PREFILL, threads });
  const sequence = context.getSequence();
  let turn = 0;
  return {
    async prefill() {
      const tokens = loaded.tokenize(longText(++turn)).slice(0, PREFILL);
      await sequence.clearHistory();
      const start = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(tokens);
      return (1000 * tokens.length) / (performance.now() - start);
    },
    async decode() {
      await sequence.clearHistory();
      const tokens = loaded.tokenize(shortText(++turn));
      let [count, start] = [0, 0];
      for await (const _ of sequence.evaluate(tokens, { temperature: 1, seed: turn })) {
        if (count === 0) start = performance.now();
        if (count++ === DECODE) break;
      }
      return (1000 * (count - 1)) / (performance.now() - start);
    },
    close: () => llama.dispose(),
  };
}
