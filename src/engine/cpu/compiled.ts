// The kernels as modules, compiled once each. Fused ones where the runtime takes relaxed SIMD (Node 22, Chromium 114,
// Firefox 146), else the plain ones. Knows nothing of memory and threads.
import { sharedKernels, unsharedKernels } from './kernels.generated.ts';
import { allowRelaxedSimd } from './relaxed.ts';

const modules = new Map<string, Promise<WebAssembly.Module>>();

export function compiled(shared: boolean, fused: boolean): Promise<WebAssembly.Module> {
  const key = `${shared} ${fused}`;
  let module = modules.get(key);
  if (!module) modules.set(key, (module = compile(shared, fused)));
  return module;
}

async function compile(shared: boolean, fused: boolean): Promise<WebAssembly.Module> {
  if (fused) {
    allowRelaxedSimd();
    const kernels = await import('./kernels-fused.generated.ts'); // most pages never need it
    const bytes = decode(shared ? kernels.sharedKernels : kernels.unsharedKernels);
    if (WebAssembly.validate(bytes)) return WebAssembly.compile(bytes);
  }
  return WebAssembly.compile(decode(shared ? sharedKernels : unsharedKernels));
}

const decode = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
