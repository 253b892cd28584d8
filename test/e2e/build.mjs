// Builds what page tests need: the page into test/.results/dist, the scripted lab into one script beside it.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const results = join(root, 'test/.results');
const script = join(results, 'scripted/scripted-lab.js');

export async function buildPage() {
  mkdirSync(results, { recursive: true });
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: join(results, 'dist'), emptyOutDir: true },
  });
}

/** The lab without weights, as the text of a module worker. */
export async function buildScriptedLab() {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: join(results, 'scripted'),
      emptyOutDir: true,
      target: 'es2022',
      lib: { entry: join(root, 'test/e2e/scripted-lab.ts'), formats: ['es'], fileName: 'scripted-lab' },
    },
  });
}

export const scriptedLab = () => readFileSync(script, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPage();
  await buildScriptedLab();
}
