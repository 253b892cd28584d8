// A static server for one folder on this machine, with the isolation headers that threads need and the page's content policy
// for the workers that play games. No path leaves the folder; nothing is listed.
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { policyHeaders, policyIn } from './policy.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.jsonl': 'application/jsonl; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The file that a request means, inside `folder` (also after links are followed), or null. */
async function fileOf(folder, url) {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
    if (path.includes('\0')) return null;
    const wanted = await realpath(join(folder, path.endsWith('/') ? `${path}index.html` : path));
    if (wanted !== folder && !wanted.startsWith(folder + sep)) return null;
    const info = await stat(wanted);
    return info.isFile() ? { path: wanted, size: info.size } : null;
  } catch {
    return null;
  }
}

/**
 * Listens on `port`, or on the next free one; resolves to the server and its address. `bare`: as a static host that sends
 * no headers of its own.
 */
export async function serve(folder, { port = 4173, bare = false } = {}) {
  const root = await realpath(folder);
  const headers = bare ? {} : ISOLATION;
  const policy = bare ? null : policyIn(join(root, 'index.html'));
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return response.writeHead(405, headers).end();
    const file = await fileOf(root, request.url ?? '/');
    if (!file) return response.writeHead(404, { ...headers, 'Content-Type': 'text/plain' }).end('not found');
    const hashed = /[\\/]assets[\\/]/.test(file.path);
    response.writeHead(200, {
      ...headers,
      ...policyHeaders(policy, file.path.replaceAll(sep, '/')),
      'Content-Type': TYPES[extname(file.path)] ?? 'application/octet-stream',
      'Content-Length': file.size,
      'Cache-Control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    });
    if (request.method === 'HEAD') return response.end();
    const stream = createReadStream(file.path);
    stream.on('error', () => response.destroy());
    stream.pipe(response);
  });
  for (let at = port; ; at = at === 0 || at > port + 50 ? 0 : at + 1) {
    try {
      await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(at, '127.0.0.1', () => {
          server.off('error', reject);
          resolve();
        });
      });
      return { server, url: `http://localhost:${server.address().port}/` };
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || at === 0) throw error;
    }
  }
}
