// One LoRA training step (forward, backward, AdamW; see lora.ts) beside jax-js's wasm backend.
import { CpuSession } from '../src/engine/cpu/session.ts';
import { jaxLora } from '../src/engine/cpu/jax.ts';
import { linearFlops, loraStep, optimizer } from './lora.ts';
import { type BenchResult, inTurns, place, sharesOf } from './result.ts';

export async function run(options: { rounds?: number; threads?: number; peer?: boolean } = {}): Promise<BenchResult[]> {
  const { rounds = 7, threads, peer = true } = options;
  const { weights, adapter, batch, peerBatch, values, tokens } = loraStep();
  const session = await CpuSession.create(weights, threads === undefined ? {} : { threads });
  const trainer = session.trainAdapter(adapter, optimizer);
  const jax = peer ? await jaxLora(weights, adapter, peerBatch) : null;
  const ours = () => trainer.step(batch);
  const theirs = async () => jax?.lossAndGradients(values);
  await inTurns(2, [ours, theirs]);
  const [oursMs, peerMs] = (await inTurns(rounds, [ours, theirs])) as [number, number];
  session.executor.startTiming();
  for (let i = 0; i < 5; i++) await ours();
  const shares = sharesOf(session.executor.times());
  const notes = `${(linearFlops(tokens) / oursMs / 1e6).toFixed(1)} GFLOP/s over the linear layers' work`;
  const result = { name: 'lora-step', ...place(session.threads), engine: 'cpu' as const, oursMs, shares, notes };
  trainer.dispose();
  await session.close();
  return [{ ...result, peer: 'jax-js 0.1.25 wasm', peerMs, ratio: peerMs / oursMs }];
}
