// One whole update of a run (explore, train, evaluate) with the bundled model, on WebGPU and on the CPU from the same seed:
// at temperature 0 every token is the same, and so, to the tolerance stated, is the adapter that was learnt.
import { expect, it } from 'vitest';
import { memoryFile, modelFiles } from '../src/engine/model/files.ts';
import { readSafetensors } from '../src/engine/model/safetensors.ts';
import { toF32 } from '../src/engine/model/convert.ts';
import { runConfig } from '../src/gym/config.ts';
import { cycle } from '../src/gym/cycle.ts';
import { localGameHost } from '../src/gym/host.ts';
import type { AdapterSaved, EpisodeEvent, RunEvent } from '../src/log/events.ts';
import { openEngineModel } from '../src/models/engine/index.ts';
import { closingReport } from '../src/report/defaults.ts';

const config = runConfig({
  ...{ games: ['minesweeper-v1'], pathways: ['training'], explore: 2, every: 2, strict: 1, frozenReplicates: 1 },
  ...{ temperature: 0, exploreTemperature: 0, trainSteps: 2, trainBatch: 2, constrain: 'actions', guardInvalid: 1 },
});

/** Norm of the difference of two adapters over the norm of lora_B, which began at 0. */
const TOLERANCE = 2e-3;

interface Run {
  events: RunEvent[];
  blobs: Map<string, Uint8Array>;
}

async function run(engine: 'cpu' | 'webgpu'): Promise<Run> {
  const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
  const files = await Promise.all(
    names.map(async (name) => {
      const response = await fetch(`/models/nano/${name}`);
      expect(response.ok, name).toBe(true);
      return memoryFile(name, new Uint8Array(await response.arrayBuffer()));
    }),
  );
  const model = await openEngineModel(modelFiles(files), { id: 'nano', title: 'nano', engine, threads: 1 });
  expect(model.card.engine.startsWith(engine)).toBe(true);
  const [events, blobs]: [RunEvent[], Map<string, Uint8Array>] = [[], new Map()];
  const readBlob = async (hash: string) => blobs.get(hash) ?? null;
  for await (const item of cycle({ config, model, host: localGameHost(), past: [], readBlob, report: closingReport })) {
    if (!('event' in item)) continue;
    events.push(item.event);
    for (const [hash, bytes] of Object.entries(item.blobs)) blobs.set(hash, bytes);
  }
  await model.close();
  return { events, blobs };
}

const episodes = ({ events }: Run) => events.filter((event): event is EpisodeEvent => event.type === 'episode');
const adapters = ({ events }: Run) => events.filter((event): event is AdapterSaved => event.type === 'adapter.saved');

/** All numbers of the adapter of that hash whose tensors' names hold `part`. */
async function numbers({ blobs }: Run, { hash }: AdapterSaved, part = ''): Promise<Float32Array> {
  const tensors = await readSafetensors(memoryFile('adapter_model.safetensors', blobs.get(hash)!));
  const sorted = [...tensors].filter(([name]) => name.includes(part)).sort(([a], [b]) => (a < b ? -1 : 1));
  return Float32Array.from(sorted.flatMap(([, tensor]) => [...toF32(tensor)]));
}

const norm = (values: Float32Array) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));

it('explores, trains and evaluates to the same tokens and the same adapter as on the CPU', async () => {
  const [cpu, gpu] = [await run('cpu'), await run('webgpu')];
  expect(episodes(gpu).length).toBe(episodes(cpu).length);
  episodes(cpu).forEach((episode, e) => {
    const other = episodes(gpu)[e]!;
    expect([other.phase, other.instance]).toEqual([episode.phase, episode.instance]);
    expect(other.steps.map((step) => step.completion)).toEqual(episode.steps.map((step) => step.completion));
    expect(other.score).toBe(episode.score);
  });
  const [before, after] = [adapters(cpu), adapters(gpu)].map((list) => list.filter(({ steps }) => steps > 0));
  expect(before!.length).toBe(1);
  expect(after!.length).toBe(1);
  const [learnt, found] = [before![0]!, after![0]!];
  expect(found.before).toBe(learnt.before);
  learnt.loss.forEach((loss, i) => expect(Math.abs(found.loss[i]! - loss)).toBeLessThan(1e-4));
  const [a, b] = [await numbers(cpu, learnt), await numbers(gpu, found)];
  const change = norm(await numbers(cpu, learnt, 'lora_B'));
  expect(change).toBeGreaterThan(0);
  expect(norm(a.map((x, i) => x - b[i]!)) / change).toBeLessThan(TOLERANCE);
});
