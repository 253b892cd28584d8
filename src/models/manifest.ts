// A shipped model's list of files with their lengths and SHA-256, and whether the files at hand are those. Made by
// `pretrain --ship`; a proxy, a full disk or a hand may have changed or cut a file since. Knows no disk and no net.
import * as v from 'valibot';
import { readBytes, readText, type ModelFiles } from '../engine/model/files.ts';
import { CodedError } from '../errors.ts';
import { hashBytes } from '../hash.ts';

export const MANIFEST = 'manifest.json';

const Manifest = v.object({
  format: v.literal(1),
  files: v.record(v.string(), v.object({ bytes: v.number(), sha256: v.string() })),
});

/** What a model is loaded from; a README beside it is not. */
const isPart = (name: string) => name !== MANIFEST && /\.(json|safetensors|jinja)$/.test(name);

/** The manifest's text, of all files that a model is loaded from, by name. */
export async function makeManifest(files: ModelFiles): Promise<string> {
  const entries: [string, { bytes: number; sha256: string }][] = [];
  for (const [name, source] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isPart(name)) continue;
    entries.push([name, { bytes: source.size, sha256: hashBytes(await readBytes(source, 0, source.size)) }]);
  }
  return `${JSON.stringify({ format: 1, files: Object.fromEntries(entries) }, null, 2)}\n`;
}

const damaged = (what: string) =>
  new CodedError(
    'model/damaged',
    what,
    'Fetch it again: reload the page, or restore the folder; after a change of your own: npm run pretrain -- --manifest',
  );

/** That the files are those of their manifest, to the byte. Errors: model/damaged. */
export async function checkManifest(files: ModelFiles): Promise<void> {
  const source = files.get(MANIFEST);
  if (!source) throw damaged(`the model has no ${MANIFEST}`);
  let listed;
  try {
    listed = v.parse(Manifest, JSON.parse(await readText(source))).files;
  } catch {
    throw damaged(`${MANIFEST} cannot be read`);
  }
  for (const name of files.keys()) if (isPart(name) && !listed[name]) throw damaged(`${name} is not in ${MANIFEST}`);
  for (const [name, { bytes, sha256 }] of Object.entries(listed)) {
    const file = files.get(name);
    if (!file) throw damaged(`${name} is missing`);
    if (file.size !== bytes) throw damaged(`${name} has ${file.size} bytes, not ${bytes}`);
    if (hashBytes(await readBytes(file, 0, bytes)) !== sha256) throw damaged(`${name} has been changed`);
  }
}
