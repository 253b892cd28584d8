// What is timed, for us and for the peers alike: reading 512 tokens, writing 48 after a short prompt, and 32 sequences
// side by side. Runs in Node and in a worker.
import { CpuSession } from '../../src/engine/cpu/session.ts';
import type { ModelFiles } from '../../src/engine/model/files.ts';
import { openModel } from '../../src/engine/model/open.ts';
import { freshAdapter } from '../../src/engine/model/adapter.ts';
import { LORA_TARGETS } from '../../src/engine/types.ts';
import { TextTokenizer } from '../../src/engine/text/tokenizer.ts';
import { macrotask } from '../../src/engine/host/generate.ts';

export const PREFILL = 512;
export const DECODE = 48;
export const BESIDE = 32;
/** Tokens of the training step, every one of which carries weight. */
export const TRAIN = 1024;
/** Seconds of that step that are aimed at, on two threads. */
export const TRAIN_AIM_S = 7;

/** Tokens a second. */
export interface Speeds {
  prefill(): Promise<number>;
  decode(): Promise<number>;
}

export interface OurSpeeds extends Speeds {
  /** Of all sequences together. */
  beside(): Promise<number>;
  /** Of one LoRA step: forward, backward and AdamW. */
  train(): Promise<number>;
  readonly threads: number;
  readonly fused: boolean;
  close(): Promise<void>;
}

/** Some text of about 512 tokens; `turn` makes each one new, so that no cache knows it. */
export const longText = (turn: number): string =>
  Array.from({ length: 90 }, (_, i) => `${(i * 37 + turn * 101) % 1000} apples`).join(', ');

export const shortText = (turn: number): string => `Story ${turn}: once upon a time there was a snake that`;

export async function ourSpeeds(files: ModelFiles, threads: number): Promise<OurSpeeds> {
  const { weights, texts } = await openModel(files);
  const tokenizer = new TextTokenizer(texts.tokenizer!, texts.tokenizerConfig);
  const session = await CpuSession.create(weights, { threads });
  const lora = { rank: 8, alpha: 16, targets: [...LORA_TARGETS] };
  const adamW = { lr: 1e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 1 };
  const trainer = session.trainAdapter(freshAdapter(weights.config, lora, 1), adamW);
  let turn = 0;
  const sampling = (seed: number, maxTokens: number) => ({ temperature: 1, seed, maxTokens });
  /** Tokens a second after the first token, which reads the prompt. */
  const write = async (count: number): Promise<number> => {
    turn++;
    const ids = tokenizer.encode(shortText(turn));
    await session.generate([{ ids, sampling: sampling(1, 1) }]); // read before the clock starts
    const start = performance.now();
    const outs = await session.generate(
      Array.from({ length: count }, (_, seed) => ({ ids, sampling: sampling(seed, DECODE) })),
    );
    const tokens = outs.reduce((sum, out) => sum + out.ids.length, 0);
    return (1000 * tokens) / (performance.now() - start);
  };
  return {
    threads: session.threads,
    fused: session.executor.fused,
    async prefill() {
      const ids = tokenizer.encode(longText(++turn)).slice(0, PREFILL);
      await macrotask();
      const start = performance.now();
      await session.generate([{ ids, sampling: sampling(1, 1) }]);
      return (1000 * ids.length) / (performance.now() - start);
    },
    decode: () => write(1),
    beside: () => write(BESIDE),
    async train() {
      const sequence = Array.from({ length: 3 }, () => tokenizer.encode(longText(++turn)))
        .flat()
        .slice(0, TRAIN);
      await macrotask();
      const start = performance.now();
      await trainer.step({ sequences: [sequence], weights: [sequence.map(() => 1)] });
      return (1000 * sequence.length) / (performance.now() - start);
    },
    close: () => session.close(),
  };
}
