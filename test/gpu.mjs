// npm run test:gpu: the GPU tests in headless Chromium. With --mutate (by hand; takes minutes): changes one constant or
// operator of each WGSL file in turn and runs the tests that exercise it, which must fail every time.
// --mutate [NAME…] [--seed N]: only those kernels; another choice of places.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placesOf } from './mutant.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'src/engine/webgpu/kernels');
const vitest = (args, more = {}) =>
  spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', '--project', 'gpu', ...args], { cwd: root, ...more });

/** Tests of kernels.gpu.test.ts that exercise a kernel, as a pattern of their names. */
const TESTS = {
  adamw: 'three steps',
  'attention-free': 'attention, for software of sequences.*in the slab',
  'attention-grad-kv-free': 'attention, for software of sequences.*in the slab',
  'attention-grad-kv': 'attention, for GPUs of sequences.*in the slab',
  'attention-grad-q-free': 'attention, for software of sequences.*in the slab',
  'attention-grad-q': 'attention, for GPUs of sequences.*in the slab',
  attention: 'attention, for GPUs of sequences.*in the slab',
  blocks: 'attention, for GPUs of sequences.*in the slab',
  clip: 'the optimiser',
  'column-sum': 'norms, for GPUs',
  'cross-entropy': 'cross-entropy, for GPUs',
  eights: 'attention, for software of sequences.*in the slab',
  'embed-grad': 'embedGrad',
  embed: 'embed: (f32|f16)',
  free: 'linear, for software (f32|33 rows)',
  'linear-dw': 'gradient of the weight',
  'linear-dx': 'linear, for (GPUs|software) (f32|33 rows)',
  'linear-few': 'linear, for GPUs (f32, 3|5 rows)',
  linear: 'linear, for (GPUs|software) (f32|33 rows)',
  math: 'swiglu|cross-entropy, for GPUs|second dimension|sampling|optimiser',
  'move-rows': 'moveRows',
  reduce: 'norms, for GPUs|cross-entropy, for GPUs',
  pair: 'linear, for (GPUs|software) (f32|33 rows)',
  registers: 'linear, for software (f32|33 rows)',
  'rms-norm-grad': 'norms, for GPUs',
  'rms-norm': 'norms, for GPUs',
  rope: 'rope',
  sample: 'sampling',
  'square-sum': 'the optimiser',
  'store-kv': 'storeKv',
  'swiglu-grad': 'swiglu',
  swiglu: 'swiglu',
  tile: 'linear, for GPUs (f32|33 rows)',
  weight: 'embed:',
  zero: 'zero',
};

function mutate(args) {
  const seed = Number(args[args.indexOf('--seed') + 1] ?? 1) || 1;
  const names = args.filter((arg) => arg in TESTS);
  const files = readdirSync(folder).map((file) => file.slice(0, -'.wgsl'.length));
  const unknown = files.filter((name) => !(name in TESTS));
  if (unknown.length > 0) throw new Error(`which tests exercise ${unknown.join(', ')}?`);
  const lived = [];
  for (const name of names.length > 0 ? names : files) {
    const places = placesOf(readFileSync(join(folder, `${name}.wgsl`), 'utf8'));
    // The next place where a choice is no valid WGSL: a compiler notices that, not a test.
    for (let i = 0; i < places.length; i++) {
      const index = (seed * 7 + i) % places.length;
      const env = { ...process.env, S3_MUTANT: `${name}:${index}` };
      const { status, stdout } = vitest(['kernels.gpu.test.ts', '-t', TESTS[name], '--bail', '1'], { env });
      const text = String(stdout);
      if (text.includes('does not accept the kernel') && i < 4) continue;
      if (!/Tests .*(passed|failed)/.test(text)) throw new Error(`no test of ${name} ran:\n${text}`);
      const { line, from, to } = places[index];
      console.log(`${status === 0 ? 'LIVED  ' : 'noticed'} ${name}.wgsl:${line} ${from.trim()} -> ${to.trim()}`);
      if (status === 0) lived.push(name);
      break;
    }
  }
  console.log(lived.length === 0 ? 'every change was noticed' : `not noticed: ${lived.join(', ')}`);
  return lived.length === 0 ? 0 : 1;
}

const args = process.argv.slice(2);
process.exitCode = args.includes('--mutate') ? mutate(args) : vitest(args, { stdio: 'inherit' }).status;
