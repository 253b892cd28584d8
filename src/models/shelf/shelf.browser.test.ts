// The shelf on a real browser's disk; only the host is a script.
import { afterEach, expect, test } from 'vitest';
import type { FaultyShelfApi, HostFile } from '../../../test/faults/shelf.worker.ts';
import { WorkerOwner } from '../../workers/owner.ts';

const owners: WorkerOwner<FaultyShelfApi>[] = [];
function shelf() {
  const create = () => new Worker(new URL('../../../test/faults/shelf.worker.ts', import.meta.url), { type: 'module' });
  const owner = new WorkerOwner<FaultyShelfApi>({ name: 'shelf', create, parallel: true });
  owners.push(owner);
  return owner;
}

const text = (content: string) => new TextEncoder().encode(content);
function safetensors(count: number): Uint8Array<ArrayBuffer> {
  const header = text(JSON.stringify({ x: { dtype: 'F32', shape: [count], data_offsets: [0, 4 * count] } }));
  const bytes = new Uint8Array(8 + header.length + 4 * count);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  return bytes;
}
const weights = safetensors(50_000);
const host = (more: Record<string, Partial<HostFile>> = {}): Record<string, HostFile> => {
  const files: Record<string, HostFile> = {
    'config.json': { bytes: text('{}') },
    'tokenizer.json': { bytes: text('{"a":1}') },
    'model.safetensors': { bytes: weights, etag: '"1"' },
  };
  for (const [name, file] of Object.entries(more)) files[name] = { ...files[name]!, ...file };
  return files;
};
let count = 0;
const fresh = () => `https://models.example/${Date.now()}-${count++}/`;
const sizes = { 'config.json': 2, 'tokenizer.json': 7, 'model.safetensors': weights.length };

afterEach(async () => {
  const one = shelf();
  for (const { address } of await one.run((api) => api.list())) await one.run((api) => api.remove(address));
  for (const owner of owners.splice(0)) owner.terminate();
});

test('a model comes whole, is listed, is there for another worker, and can be deleted', async () => {
  const [one, other, address] = [shelf(), shelf(), fresh()];
  await one.run((api) => api.download(address, host()));
  expect(await other.run((api) => api.files(address))).toEqual(sizes);
  expect(await one.run((api) => api.progress())).toEqual([weights.length + 9, weights.length + 9]);
  const [listed] = await other.run((api) => api.list());
  expect(listed).toMatchObject({ address, complete: true });
  expect(listed!.bytes).toBeGreaterThan(weights.length);
  await other.run((api) => api.remove(address));
  expect(await one.run((api) => api.files(address))).toBeNull();
});

test.each(['cut', 'stall'] as const)('a download that is ended by %s goes on from there', async (fault) => {
  const [one, address] = [shelf(), fresh()];
  const code = fault === 'cut' ? 'model/offline' : 'model/stalled';
  const broken = host({ 'model.safetensors': { [fault]: 70_000 } });
  await expect(one.run((api) => api.download(address, broken))).rejects.toMatchObject({ code });
  expect(await one.run((api) => api.files(address))).toBeNull();
  expect(await one.run((api) => api.list())).toMatchObject([{ address, complete: false }]);
  // A killed worker loses nothing of it.
  one.terminate();
  const asked = await shelf().run((api) => api.download(address, host()));
  expect(asked.filter((name) => name.startsWith('model'))).toEqual(['model.safetensors 70000']);
  expect(await shelf().run((api) => api.files(address))).toEqual(sizes);
});

test('what changed on the host meanwhile is fetched from its beginning', async () => {
  const [one, address] = [shelf(), fresh()];
  const broken = host({ 'model.safetensors': { cut: 70_000 } });
  await expect(one.run((api) => api.download(address, broken))).rejects.toMatchObject({ code: 'model/offline' });
  const longer = safetensors(60_000);
  const asked = await one.run((api) =>
    api.download(address, host({ 'model.safetensors': { bytes: longer, etag: '"2"' } })),
  );
  expect(asked.slice(-2)).toEqual(['model.safetensors 70000', 'model.safetensors']);
  expect(await one.run((api) => api.files(address))).toMatchObject({ 'model.safetensors': longer.length });
});

test('a host that knows no ranges sends all of it again', async () => {
  const [one, address] = [shelf(), fresh()];
  const broken = host({ 'model.safetensors': { cut: 70_000 } });
  await expect(one.run((api) => api.download(address, broken))).rejects.toMatchObject({ code: 'model/offline' });
  await one.run((api) => api.download(address, host({ 'model.safetensors': { whole: true } })));
  expect(await one.run((api) => api.files(address))).toEqual(sizes);
});

test('sharded weights come by their index', async () => {
  const [one, address] = [shelf(), fresh()];
  const shards = ['model-1-of-2.safetensors', 'model-2-of-2.safetensors'];
  const index = JSON.stringify({ weight_map: { a: shards[0], b: shards[1], c: shards[0] } });
  const { 'model.safetensors': _, ...rest } = host();
  const files = { ...rest, 'model.safetensors.index.json': { bytes: text(index) } };
  for (const name of shards) Object.assign(files, { [name]: { bytes: weights } });
  const asked = await one.run((api) => api.download(address, files));
  expect(asked.slice(-3)).toEqual(['model.safetensors.index.json', ...shards]);
});

test.each([
  ['a page in place of a file', host({ 'model.safetensors': { bytes: text('<html>') } }), 'model/bad-file'],
  ['a page with its own type', host({ 'tokenizer.json': { type: 'text/html' } }), 'model/missing'],
  ['a login', host({ 'config.json': { status: 403 } }), 'model/missing'],
  ['no JSON', host({ 'config.json': { bytes: text('{') } }), 'model/bad-file'],
])('%s is refused and not kept', async (_, files, code) => {
  const [one, address] = [shelf(), fresh()];
  await expect(one.run((api) => api.download(address, files))).rejects.toMatchObject({ code });
  await one.run((api) => api.download(address, host()));
  expect(await one.run((api) => api.files(address))).toEqual(sizes);
});

test('an abort keeps what came; two at once are told apart', async () => {
  const [one, two, address] = [shelf(), shelf(), fresh()];
  const slow = host({ 'model.safetensors': { stall: 70_000 } });
  const running = one.run((api) => api.download(address, slow, 200));
  await expect(running).rejects.toMatchObject({ code: 'model/aborted' });
  const again = one.run((api) => api.download(address, slow));
  await expect.poll(async () => (await one.run((api) => api.list()))[0]?.bytes ?? 0).toBeGreaterThan(70_000);
  await expect(two.run((api) => api.download(address, host()))).rejects.toMatchObject({ code: 'storage/busy' });
  await expect(again).rejects.toMatchObject({ code: 'model/stalled' });
});

test('picked files: a folder, refused without a tokenizer, and a GGUF file that is none', async () => {
  const one = shelf();
  const files = Object.entries(host()).map(([name, { bytes }]) => new File([bytes], name));
  const address = await one.run((api) => api.put([...files, new File(['x'], 'README.md')]));
  expect(address).toBe('local:model');
  expect(await one.run((api) => api.files(address))).toEqual(sizes);
  await expect(one.run((api) => api.put(files.slice(0, 1)))).rejects.toMatchObject({ code: 'model/missing' });
  await expect(one.run((api) => api.put([new File(['no'], 'm.gguf')]))).rejects.toMatchObject({
    code: 'model/bad-file',
  });
  expect((await one.run((api) => api.list())).map(({ title }) => title)).toEqual(['model']);
});
