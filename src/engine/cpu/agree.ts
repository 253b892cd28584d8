// One small piece of everything, reduced to a hash: Node and browsers, with one thread or two, must agree on it.
// Only tests import it.
import { freshAdapter } from '../model/adapter.ts';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createSession } from '../session.ts';
import { adam, idsFor, lora4, tiny, weightsFor } from './testing.ts';

/** Recorded on Node 20, x86-64. */
export const AGREED = '9be82e067ef368dc1ea6ce6f01f4b2e1a6019269727d6011ef81eebe590a01e7';

export async function digest(threads: number): Promise<{ hash: string; threads: number }> {
  const session = await createSession(weightsFor(tiny), { threads });
  const trainer = session.trainAdapter(freshAdapter(tiny, lora4, 1), adam);
  const sequences = [idsFor(tiny, 40, 1), idsFor(tiny, 21, 2)];
  for (let i = 0; i < 3; i++) await trainer.step({ sequences, weights: sequences.map((s) => s.map(() => 1)) });
  const adapter = await trainer.adapter();
  const outs = await session.generate(
    [1, 2, 3].map((seed) => ({
      ...{ ids: idsFor(tiny, 10 * seed, seed), adapter },
      sampling: { temperature: 0.8, topK: 30, topP: 0.9, seed, maxTokens: 30 },
    })),
  );
  const numbers = outs.flatMap(({ ids, logprobs }) => [...ids, ...logprobs]);
  const words = Float32Array.from([...adapter.data, ...numbers]);
  const result = { hash: bytesToHex(sha256(new Uint8Array(words.buffer))), threads: session.threads };
  await session.close();
  return result;
}
