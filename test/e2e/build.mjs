// Builds what page tests need: the page into test/.results/dist, the scripted lab into one script beside it.
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { policyIn } from '../../bin/policy.mjs';

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

/**
 * The page of user-game.ts, with the page's own content policy in its head or, for comparison, without one. Resolves to its
 * folder.
 */
export async function buildUserGame(guarded) {
  const folder = join(results, guarded ? 'user-game' : 'user-game-unguarded');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policyIn(join(root, 'index.html'))}" />`;
  await build({
    root: join(root, 'test/e2e'),
    base: './',
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    worker: { format: 'es' },
    plugins: [
      {
        name: 'head',
        transformIndexHtml: (html) => (guarded ? html.replace('<title>', `${meta}<title>`) : html),
      },
    ],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      rollupOptions: { input: join(root, 'test/e2e/user-game.html') },
    },
  });
  renameSync(join(folder, 'user-game.html'), join(folder, 'index.html'));
  return folder;
}

export const scriptedLab = () => readFileSync(script, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPage();
  await buildScriptedLab();
}
