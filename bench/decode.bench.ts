// Decoding 32 sequences together beside one alone (the peer is ourselves), on the same small model as the LoRA step.
import { CpuSession } from '../src/engine/cpu/session.ts';
import { idsFor, small, weightsFor } from '../src/engine/cpu/testing.ts';
import { type BenchResult, inTurns, place, sharesOf } from './result.ts';

const TOKENS = 64;

export async function run(options: { rounds?: number; threads?: number } = {}): Promise<BenchResult[]> {
  const { rounds = 7, threads } = options;
  const session = await CpuSession.create(weightsFor(small, 1, 0.05), threads === undefined ? {} : { threads });
  const requests = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ ids: idsFor(small, 2, i), sampling: { temperature: 1, topP: 0.95, seed: i, maxTokens: TOKENS } },
    }));
  const one = () => session.generate(requests(1));
  const many = () => session.generate(requests(32));
  await inTurns(2, [one, many]);
  const [oneMs, manyMs] = (await inTurns(rounds, [one, many])) as [number, number];
  session.executor.startTiming();
  await many();
  const shares = sharesOf(session.executor.times());
  const speed = (count: number, ms: number) => Math.round((count * TOKENS * 1000) / ms);
  const notes = `${speed(32, manyMs)} tokens/s of 32 sequences, ${speed(1, oneMs)} of one`;
  const result = { name: 'decode', ...place(session.threads), engine: 'cpu' as const, shares, notes };
  await session.close();
  // Milliseconds per token, so that the ratio is that of tokens per second.
  const [oursMs, peerMs] = [manyMs / (32 * TOKENS), oneMs / TOKENS];
  return [{ ...result, oursMs, peer: 'one sequence', peerMs, ratio: peerMs / oursMs }];
}
