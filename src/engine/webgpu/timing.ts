// How long each dispatch of a plan takes: by the device's own clock where it has one (a pass and two timestamps each), else
// each in a submit of its own, waited for. Only benchmarks ask; browsers round timestamps to 0.1 ms.
// Knows nothing of plans.
import { type Gpu, MAP_READ, USAGE } from './device.ts';

export interface Timed {
  name: string;
  encode(pass: GPUComputePassEncoder): void;
}

const RESOLVE = 0x200; // GPUBufferUsage.QUERY_RESOLVE
/** Timestamps of one query set at most. */
const MOST = 4096;

/** Runs the dispatches in order; milliseconds by name. */
export async function timed(gpu: Gpu, steps: readonly Timed[]): Promise<Map<string, number>> {
  const { device } = gpu;
  const clock = device.features.has('timestamp-query') && steps.length * 2 <= MOST;
  const ms = clock ? await byClock(device, steps) : await bySubmit(device, steps);
  const times = new Map<string, number>();
  steps.forEach(({ name }, i) => times.set(name, (times.get(name) ?? 0) + ms[i]!));
  return times;
}

async function byClock(device: GPUDevice, steps: readonly Timed[]): Promise<number[]> {
  const count = steps.length * 2;
  const querySet = device.createQuerySet({ type: 'timestamp', count });
  const resolved = device.createBuffer({ size: count * 8, usage: RESOLVE | USAGE.copySource });
  const back = device.createBuffer({ size: count * 8, usage: USAGE.mapRead | USAGE.copyTarget });
  const encoder = device.createCommandEncoder();
  steps.forEach((step, i) => {
    const timestampWrites = { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 };
    const pass = encoder.beginComputePass({ timestampWrites });
    step.encode(pass);
    pass.end();
  });
  encoder.resolveQuerySet(querySet, 0, count, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, back, 0, count * 8);
  device.queue.submit([encoder.finish()]);
  await back.mapAsync(MAP_READ);
  const nanoseconds = new BigInt64Array(back.getMappedRange().slice(0));
  querySet.destroy();
  resolved.destroy();
  back.destroy();
  return steps.map((_, i) => Math.max(0, Number(nanoseconds[2 * i + 1]! - nanoseconds[2 * i]!)) / 1e6);
}

async function bySubmit(device: GPUDevice, steps: readonly Timed[]): Promise<number[]> {
  const times: number[] = [];
  for (const step of steps) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    step.encode(pass);
    pass.end();
    const commands = encoder.finish();
    await device.queue.onSubmittedWorkDone();
    const start = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    times.push(performance.now() - start);
  }
  return times;
}
