// The same LoRA step (lora.ts) on WebGPU beside jax-js's webgpu backend on the same adapter; what a step submits and
// makes; the arithmetic rate beside that of our own largest matmul there. Nothing where there is no WebGPU.
import { jaxLora } from '../src/engine/cpu/jax.ts';
import { random } from '../src/engine/cpu/ops-testing.ts';
import { PlanBuilder } from '../src/engine/plan/builder.ts';
import { Gpu } from '../src/engine/webgpu/device.ts';
import { GpuExecutor } from '../src/engine/webgpu/executor.ts';
import { tuningInMemory } from '../src/engine/webgpu/tuning.ts';
import { WebGpuSession } from '../src/engine/webgpu/session.ts';
import { linearFlops, loraStep, optimizer } from './lora.ts';
import { type BenchResult, inTurns, place, sharesOf } from './result.ts';

/** Time for all rounds, roughly. */
const MEASURE_MS = 15_000;

export async function run(): Promise<BenchResult[]> {
  if (!globalThis.navigator?.gpu) return [];
  const device = await Gpu.open(undefined, ['timestamp-query']);
  const { weights, adapter, batch, peerBatch, values, tokens } = loraStep();
  const session = await WebGpuSession.create(weights, { device, tuning: tuningInMemory() });
  const trainer = session.trainAdapter(adapter, optimizer);
  const jax = await jaxLora(weights, adapter, peerBatch, 'webgpu');
  const ours = () => trainer.step(batch);
  const theirs = () => jax.lossAndGradients(values);
  const [scores, { loss }] = [await session.score(peerBatch.sequences, { adapter }), await theirs()];
  const logprobs = scores.flatMap((score) => [...score.logprobs]);
  const apart = Math.abs(logprobs.reduce((a, b) => a + b) / logprobs.length + loss);
  await ours(); // all is compiled now
  const start = performance.now();
  await inTurns(1, [ours, theirs]);
  const rounds = Math.max(3, Math.min(25, Math.round(MEASURE_MS / (performance.now() - start))));
  const { made, submits } = device;
  await ours();
  const facts = { submits: device.submits - submits, buffers: device.made - made };
  const [oursMs, peerMs] = (await inTurns(rounds, [ours, theirs])) as [number, number];
  const shares = sharesOf(await session.executor.times());
  const rate = linearFlops(tokens) / oursMs / 1e6;
  const peak = await matmulPeak(session.executor);
  trainer.dispose();
  await session.close();
  const { software, ...names } = device.facts;
  device.close();
  return [
    {
      ...{ name: 'gpu', ...place(1), engine: 'webgpu', oursMs, peer: 'jax-js 0.1.25 webgpu', peerMs },
      ...{ ratio: peerMs / oursMs, shares },
      adapter: { ...names, software },
      facts: { ...facts, rounds, gflops: rate, peakGflops: peak, lossDifference: apart },
      notes:
        `${facts.submits} submit and ${facts.buffers} new buffers a step; ${rate.toFixed(1)} GFLOP/s over the linear ` +
        `layers' work, ${((100 * rate) / peak).toFixed(0)} % of ${peak.toFixed(1)} in our largest matmul; ` +
        `${names.vendor} ${names.architecture}${software ? ' (software)' : ''}; ${session.kernels}; losses differ by ${apart.toExponential(1)}`,
    },
  ];
}

/** GFLOP/s of square products x W^T, of the size from which larger ones are no faster, or slow to wait for. */
async function matmulPeak(executor: GpuExecutor): Promise<number> {
  let best = 0;
  for (let n = 256; n <= 4096; n *= 2) {
    const [w, x] = [executor.take(n * n), executor.take(n * n)];
    executor.write(w, random(n * n, 1));
    executor.write(x, random(n * n, 2));
    const b = new PlanBuilder();
    b.op('linear', {
      ...{
        out: b.temp(n * n),
        x: b.bound('x'),
        w: b.bound('w'),
        init: null,
        t: null,
        b: null,
        dtype: 0,
        rows: n,
        k: n,
        n,
      },
      ...{ ldo: n, ldx: n, ldi: 0, rank: 0, ldt: 0, alpha: 1 },
    });
    const plan = b.finish();
    const bind = (name: string) => (name === 'w' ? w : x);
    await executor.run(plan, bind);
    let ms = Infinity;
    for (let i = 0; i < 4; i++) ms = Math.min(ms, ...(await executor.times()).values());
    executor.give(w);
    executor.give(x);
    const rate = (2 * n ** 3) / ms / 1e6;
    const enough = ms > 200 || rate < best * 1.05;
    best = Math.max(best, rate);
    if (enough) break;
  }
  return best;
}
