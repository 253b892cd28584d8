// Node 20's V8 (11.3) has relaxed SIMD finished, but behind a flag; 11.4 took the flag away (https://v8.dev/features, "WebAssembly
// relaxed SIMD"). Goes when Node 20 leaves package.json's engines.

export function allowRelaxedSimd(): void {
  if (typeof process !== 'object' || !process.versions?.v8?.startsWith('11.3.')) return;
  process.getBuiltinModule('node:v8').setFlagsFromString('--experimental-wasm-relaxed-simd');
}
