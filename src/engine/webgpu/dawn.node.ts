// WebGPU in Node: Dawn, from the package `webgpu`, an optional dependency. Needs Vulkan, Metal or Direct3D.
// Knows nothing of engines.
import { CodedError } from '../../errors.ts';

const PACKAGE = 'webgpu'; // 0.6.2 is what this was written against

interface Dawn {
  create(options: string[]): GPU;
}

/** One for the process, and kept: Dawn's devices crash once the object that they came from has been collected. */
let kept: GPU | null = null;

/** Errors: gpu/unavailable when the package is not installed or does not load. */
export async function dawn(): Promise<GPU> {
  try {
    if (!kept) {
      const { create } = (await import(/* @vite-ignore */ PACKAGE)) as Dawn;
      kept = create([]);
    }
    return kept;
  } catch (error) {
    throw new CodedError('gpu/unavailable', 'WebGPU in Node needs Dawn.', `npm install ${PACKAGE}`, String(error));
  }
}
