#!/usr/bin/env node
// npm start: builds the page if a source is newer than the build, serves it on this machine, opens a browser.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './serve.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

function newest(path) {
  if (!existsSync(path)) return 0;
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const built = join(dist, 'index.html');
const sources = ['index.html', 'vite.config.ts', 'package.json', 'src', 'games', 'public'];
if (!existsSync(built) || Math.max(...sources.map((name) => newest(join(root, name)))) > statSync(built).mtimeMs) {
  console.log('Building the page …');
  const { build } = await import('vite');
  await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'error' });
}

const port = Number(process.env.PORT ?? 4173);
const { server, url } = await serve(dist, { port: Number.isInteger(port) ? port : 4173 });
console.log(`S³Gym Playground: ${url}\nCtrl-C stops it.`);

const display = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
if (display && !process.env.CI && !process.argv.includes('--no-open')) {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['cmd', ['/c', 'start', '', url]]
        : ['xdg-open', [url]];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.closeAllConnections();
    server.close(() => process.exit(0));
  });
}
