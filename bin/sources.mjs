// A hash of the sources that decide a run's numbers: games, engine, gym, models, plug-ins. Tests are left out.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['games', 'src/engine', 'src/gym', 'src/log', 'src/models', 'src/plugins'];

export function sourceHash() {
  const hash = createHash('sha256');
  const visit = (path) => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (/\.(ts|js|txt|wgsl)$/.test(path) && !/\.test\.ts$/.test(path)) {
      const name = relative(root, path).split(sep).join('/');
      hash.update(`${name}\0${readFileSync(path, 'utf8').replaceAll('\r\n', '\n')}\0`);
    }
  };
  for (const folder of FOLDERS) visit(join(root, folder));
  return hash.digest('hex').slice(0, 12);
}
