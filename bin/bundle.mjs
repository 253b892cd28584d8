// The terminal's bundle under node_modules/.cache, keyed by a hash of the sources' names, sizes and times.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.cache', 's3');

function stamp() {
  const hash = createHash('sha256').update(process.version);
  const visit = (path) => {
    const info = statSync(path);
    if (info.isDirectory()) {
      for (const name of readdirSync(path).sort()) if (name !== 'node_modules') visit(join(path, name));
    } else hash.update(`${path}\0${info.size}\0${info.mtimeMs}\n`);
  };
  for (const part of ['src', 'games', 'bench', 'vite.config.ts', 'package-lock.json', 'package.json'])
    visit(join(root, part));
  return hash.digest('hex').slice(0, 16);
}

/** Path of an up-to-date bundle's entry; builds it first if a source has changed. */
export async function bundlePath() {
  const folder = join(cache, stamp());
  if (!existsSync(join(folder, 's3.mjs'))) {
    // Built beside and renamed, so that two commands started together never read half a bundle.
    const temporary = `${folder}.${process.pid}.tmp`;
    const { build } = await import('vite');
    await build({ root, mode: 'cli', configFile: join(root, 'vite.config.ts'), build: { outDir: temporary } });
    mkdirSync(cache, { recursive: true });
    try {
      renameSync(temporary, folder);
    } catch {
      rmSync(temporary, { recursive: true, force: true }); // another process was first
    }
    for (const old of readdirSync(cache)) {
      const path = join(cache, old);
      const stale = Date.now() - statSync(path).mtimeMs > 3_600_000; // a running command may still load chunks
      if (path !== folder && stale) rmSync(path, { recursive: true, force: true });
    }
  }
  return join(folder, 's3.mjs');
}

export async function loadBundle() {
  return import(pathToFileURL(await bundlePath()).href);
}
