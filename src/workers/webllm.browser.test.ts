// The real package in its real worker, and no model anywhere: what cannot be loaded says so, with a code, in time.
import { afterEach, expect, test } from 'vitest';
import { CodedError } from '../errors.ts';
import { watchDevices, type AdapterPrototype } from '../models/webllm/device.ts';
import { openRemoteModel, type LoadProgress } from './remoteModel.ts';
import { openWebllmStore, type WebllmStore } from './webllmStore.ts';

let stores: WebllmStore[] = [];
function opened() {
  const store = openWebllmStore();
  stores.push(store);
  return store;
}
afterEach(() => {
  for (const store of stores) store.close();
  stores = [];
});

/** The page goes on while something is waited for. */
async function alive<T>(work: Promise<T>): Promise<{ outcome: T | CodedError; frames: number; ms: number }> {
  const since = performance.now();
  let [frames, over] = [0, false];
  const tick = () => {
    frames += 1;
    if (!over) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const outcome = await work.catch((error: unknown) => error as CodedError);
  over = true;
  return { outcome, frames, ms: performance.now() - since };
}

const spec = (model: string, stallMs = 10_000) => ({ model, threads: 0, base: location.href, stallMs });
const unreachable = 'webllm:http://localhost:9/none/resolve/main/?lib=http://localhost:9/none.wasm';
const f32 = 'webllm:SmolLM2-135M-Instruct-q0f32-MLC';

test('the list of 0.2.86 is what its worker says, with reasons for what this device lacks', async () => {
  const list = await opened().catalogue();
  expect(list.length).toBe(165);
  const byName = new Map(list.map((entry) => [entry.name, entry]));
  // The adapter in software knows no half precision.
  expect(byName.get('webllm:SmolLM2-135M-Instruct-q0f16-MLC')!.obstacles).toContain('this GPU has no shader-f16');
  expect(byName.get(f32)).toMatchObject({ parameters: 135e6, context: 4096, obstacles: [] });
  expect(byName.get('webllm:snowflake-arctic-embed-m-q0f32-MLC-b4')!.obstacles).toHaveLength(1);
});

test('a model that cannot be reached is an error with a code, in time; the page lives', async () => {
  const { outcome, frames, ms } = await alive(openRemoteModel(spec(unreachable)));
  expect(outcome).toMatchObject({
    code: 'model/offline',
    message: expect.stringMatching(/localhost:9.*tensor-cache\.json/),
  });
  expect(ms).toBeLessThan(20_000);
  expect(frames).toBeGreaterThan(5);
});

test('a model that this device cannot run is refused before anything is fetched', async () => {
  const { outcome } = await alive(openRemoteModel(spec('webllm:SmolLM2-135M-Instruct-q0f16-MLC')));
  expect(outcome).toMatchObject({ code: 'gpu/feature' });
  expect(await (await caches.open('webllm/model')).keys()).toEqual([]);
});

test('a host that sends pages for everything: named, and nothing of it kept', async () => {
  // This server answers any path with its start page.
  const own = `webllm:${location.origin}/no-such/resolve/main/?lib=${location.origin}/no-such.wasm`;
  const { outcome } = await alive(openRemoteModel(spec(own)));
  expect(outcome).toMatchObject({ code: expect.stringMatching(/^model\/(?:bad-file|offline)$/) });
  const cache = await caches.open('webllm/model');
  expect(await cache.keys()).toEqual([]);
});

test('the package itself loads what it is given, and its failure in the middle is named', async () => {
  const folder = 'https://given.test/given/resolve/main/';
  const own = `webllm:${folder}?lib=https://given.test/given.wasm`;
  const file = (name: string, body: BlobPart) => new File([body], name);
  const shards = JSON.stringify({ metadata: {}, records: [{ dataPath: 'shard.bin', nbytes: 4, records: [] }] });
  const files = [
    file('mlc-chat-config.json', '{"tokenizer_files":["tokenizer.json"],"conv_template":{}}'),
    file('tensor-cache.json', shards),
    file('shard.bin', new Uint8Array(4)),
    file('given.wasm', new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  ];
  const store = opened();
  await store.importFiles(own, files);
  expect(await store.sizes(own)).toMatchObject({ weights: 4, missing: 0 });
  const told: string[] = [];
  const progress: LoadProgress = (what) => told.push(what);
  const { outcome, frames } = await alive(openRemoteModel(spec(own), { progress }));
  // An empty module of WebAssembly is no compiled model: WebLLM's own words, under our code.
  expect(outcome).toBeInstanceOf(CodedError);
  expect(outcome).toMatchObject({
    code: expect.stringMatching(/^model\//),
    message: expect.stringMatching(/^WebLLM: /),
  });
  expect(frames).toBeGreaterThan(0);
  await store.remove(own);
  expect(await store.sizes(own)).toMatchObject({ kept: 0, weights: null });
});

test('an abort ends a load, and its worker', async () => {
  const abort = new AbortController();
  const loading = alive(openRemoteModel(spec(f32), { signal: abort.signal }));
  setTimeout(() => abort.abort(), 50);
  expect((await loading).outcome).toMatchObject({ code: 'worker/aborted' });
});

test('a real device that goes away is told of', async () => {
  const { GPUAdapter, navigator } = globalThis as unknown as {
    GPUAdapter: { prototype: AdapterPrototype };
    navigator: { gpu: { requestAdapter(): Promise<{ requestDevice(): Promise<{ destroy(): void }> }> } };
  };
  const original = GPUAdapter.prototype.requestDevice;
  const heard: string[] = [];
  watchDevices(GPUAdapter.prototype, (why) => heard.push(why));
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  GPUAdapter.prototype.requestDevice = original;
  device.destroy();
  await expect.poll(() => heard.length).toBe(1);
});
