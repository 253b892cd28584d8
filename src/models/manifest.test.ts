// The bundled model is what was shipped, and one changed bit, a cut file, a missing or a foreign one is told.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryFiles } from '../engine/model/files.node.ts';
import { memoryFile, readBytes, type ModelFiles } from '../engine/model/files.ts';
import { checkManifest, makeManifest, MANIFEST } from './manifest.ts';

const nano = fileURLToPath(new URL('../../public/models/nano', import.meta.url));

async function copy(): Promise<Map<string, Uint8Array>> {
  const files = await directoryFiles(nano);
  const read = async (name: string) => (await readBytes(files.get(name)!, 0, files.get(name)!.size)).slice();
  return new Map(await Promise.all([...files.keys()].map(async (name) => [name, await read(name)] as const)));
}
const asFiles = (files: Map<string, Uint8Array>): ModelFiles =>
  new Map([...files].map(([name, bytes]) => [name, memoryFile(name, bytes)]));

test('public/models/nano is what its manifest says; the manifest can be made again to the byte', async () => {
  const files = await directoryFiles(nano);
  await checkManifest(files);
  const text = new TextDecoder().decode(await readBytes(files.get(MANIFEST)!, 0, files.get(MANIFEST)!.size));
  expect(await makeManifest(files)).toBe(text);
  expect(Object.keys(JSON.parse(text).files)).toEqual(
    [...files.keys()].filter((name) => name !== MANIFEST && name !== 'README.md').sort(),
  );
});

test.each<[string, (files: Map<string, Uint8Array>) => void, RegExp]>([
  [
    'one bit',
    (files) => void (files.get('model.safetensors')![2_000_000]! ^= 1),
    /model\.safetensors has been changed/,
  ],
  [
    'a cut file',
    (files) => void files.set('tokenizer.json', files.get('tokenizer.json')!.subarray(0, 100)),
    /tokenizer\.json has 100 bytes, not \d+/,
  ],
  ['a missing file', (files) => void files.delete('tokenizer_config.json'), /tokenizer_config\.json is missing/],
  ['a foreign file', (files) => void files.set('chat_template.jinja', new Uint8Array(3)), /not in manifest/],
  ['no manifest', (files) => void files.delete(MANIFEST), /no manifest/],
  ['a manifest that is a start page', (files) => void files.set(MANIFEST, new Uint8Array([60])), /cannot be read/],
])('%s is told', async (_, change, message) => {
  const files = await copy();
  change(files);
  await expect(checkManifest(asFiles(files))).rejects.toMatchObject({
    code: 'model/damaged',
    message: expect.stringMatching(message),
  });
});
