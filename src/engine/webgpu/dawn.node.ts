// WebGPU in Node: Dawn, from the package `webgpu`, which is not among the dependencies. Needs Vulkan, Metal or Direct3D.
// Knows nothing of engines.
import { CodedError } from '../../errors.ts';

const PACKAGE = 'webgpu'; // 0.6.2 is what this was written against

interface Dawn {
  create(options: string[]): GPU;
}

/** Errors: gpu/unavailable when the package is not installed or does not load. */
export async function dawn(): Promise<GPU> {
  try {
    const { create } = (await import(/* @vite-ignore */ PACKAGE)) as Dawn;
    return create([]);
  } catch (error) {
    throw new CodedError('gpu/unavailable', 'WebGPU in Node needs Dawn.', `npm install ${PACKAGE}`, String(error));
  }
}
