// Two builds from one tool: the page (default), and the terminal's bundle (mode `cli`, made by bin/s3.mjs).
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { policyPlugin } from './bin/policy.mjs';
import { sourceHash } from './bin/sources.mjs';

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig(({ mode }) => ({
  define: { __SOURCES__: JSON.stringify(sourceHash()) },
  ...(mode === 'cli'
    ? {
        publicDir: false,
        logLevel: 'error',
        build: {
          ssr: 'src/cli/main.ts',
          target: 'node20',
          minify: false,
          emptyOutDir: true,
          rollupOptions: { output: { entryFileNames: 's3.mjs', chunkFileNames: '[name]-[hash].mjs' } },
        },
      }
    : {
        base: './', // works under any sub-path of a static host
        plugins: [svelte(), policyPlugin('index.html')],
        worker: { format: 'es' as const },
        build: { target: 'es2022', chunkSizeWarningLimit: 1500 },
        server: { headers: isolation },
        preview: { headers: isolation },
      }),
}));
