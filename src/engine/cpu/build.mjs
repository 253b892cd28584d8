// Compiles the kernels, for shared and unshared memory, into kernels.generated.ts, and with fused multiply-adds into
// kernels-fused.generated.ts, as base64 so that Node, Vite's bundles and workers load them without a fetch.
// `node src/engine/cpu/build.mjs` writes, `compile()` only returns.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import asc from 'assemblyscript/asc';

const here = dirname(fileURLToPath(import.meta.url));
export const generated = { plain: join(here, 'kernels.generated.ts'), fused: join(here, 'kernels-fused.generated.ts') };

async function build(shared, fused, out) {
  const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'];
  if (fused) flags.push('--enable', 'relaxed-simd');
  const memory = ['--importMemory', '--noExportMemory', '--memoryBase', '4096'];
  if (shared) memory.push('--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536');
  const args = ['kernels/index.ts', '--baseDir', here, '-o', out, ...flags, ...memory];
  const { error, stderr } = await asc.main(args, {});
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
}

/** The text of one of the two files. */
export async function compile(fused) {
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
  try {
    const lines = ['// Made by build.mjs from kernels/; do not edit. Prettier leaves it alone.', '// prettier-ignore'];
    for (const [name, shared] of [
      ['unsharedKernels', false],
      ['sharedKernels', true],
    ]) {
      const file = join(folder, `${name}.wasm`);
      await build(shared, fused, file);
      lines.push(`export const ${name} =\n  '${readFileSync(file).toString('base64')}';`);
    }
    return lines.join('\n') + '\n';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  for (const [kind, file] of Object.entries(generated)) {
    const text = await compile(kind === 'fused');
    writeFileSync(file, text);
    console.log(`${file}: ${text.length} bytes`);
  }
}
