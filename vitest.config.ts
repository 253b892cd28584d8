// Three test projects: `unit` in Node, `browser` and `gpu` (the WebGPU executor, `npm run test:gpu`) in real headless
// Chromium; a built page is tested by test/e2e/run.mjs. A missing browser or a missing GPU adapter fails the run; nothing
// is skipped in silence. S3_WEBGPU=off takes WebGPU away, to see that it does.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { configDefaults, defineConfig } from 'vitest/config';
import { chromiumPath } from './bin/chromium.mjs';
import { policyPlugin } from './bin/policy.mjs';
import { sourceHash } from './bin/sources.mjs';
import { mutant } from './test/mutant.mjs';

const executablePath = chromiumPath();

/** Quiet, and WebGPU in software, so that kernels are tested on machines without a GPU. */
const args = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
];

const browserTests = '**/*.browser.test.ts';
const gpuTests = '**/*.gpu.test.ts';

const chromium = {
  enabled: true,
  headless: true,
  screenshotFailures: false,
  provider: playwright({
    launchOptions: { args, ...(executablePath === undefined ? {} : { executablePath }) },
  }),
  instances: [{ browser: 'chromium' as const }],
};

export default defineConfig({
  plugins: [svelte({ configFile: false }), policyPlugin('index.html'), mutant(process.env.S3_MUTANT)],
  define: { __SOURCES__: JSON.stringify(sourceHash()) },
  worker: { format: 'es' },
  // SharedArrayBuffer exists only with these; nothing but speed may depend on it.
  server: {
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
  },
  // Found late, a dependency makes the page reload in the middle of a test.
  optimizeDeps: {
    // One module already, and only its own worker's.
    exclude: ['@mlc-ai/web-llm'],
    include: [
      '@huggingface/jinja',
      '@huggingface/tokenizers',
      '@noble/hashes/sha2.js',
      '@noble/hashes/utils.js',
      '@observablehq/plot',
      'comlink',
      'idb',
      'valibot',
    ],
  },
  test: {
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['{src,games,test,bench,bin}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, browserTests, gpuTests],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['{src,games,test,bench}/**/*.browser.test.ts'],
          testTimeout: 30_000,
          // Deadlines are measured in these tests: one file at a time.
          fileParallelism: false,
          browser: chromium,
        },
      },
      {
        extends: true,
        test: {
          name: 'gpu',
          include: ['{src,test}/**/*.gpu.test.ts'],
          // A software GPU takes a second to compile a kernel.
          testTimeout: 300_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          isolate: false, // one device for all files: webgpu/testing.ts
          setupFiles: process.env.S3_WEBGPU === 'off' ? ['test/gpu-off.ts'] : [],
          browser: chromium,
        },
      },
    ],
  },
});
