// Compute pipelines and their bind group layouts, made once a device for each kernel and place of its operands.
import { CodedError } from '../../errors.ts';
import type { OpName } from '../plan/ops.ts';
import { COMPUTE, type Gpu } from './device.ts';
import type { Dispatch } from './kernels.ts';
import { FIRST_BINDING, prelude, type Where } from './prelude.ts';

const layouts = new WeakMap<Gpu, Map<string, GPUBindGroupLayout>>();

/** Binding 0: numbers of one op, by dynamic offset; 1: the slab; then the operands outside it. */
export function bindGroupLayout(gpu: Gpu, where: readonly Where[]): GPUBindGroupLayout {
  const kinds = where.filter((place) => place === 'read' || place === 'write');
  let known = layouts.get(gpu);
  if (!known) layouts.set(gpu, (known = new Map()));
  let layout = known.get(kinds.join());
  if (!layout) {
    layout = gpu.scoped(() =>
      gpu.device.createBindGroupLayout({
        entries: [
          { binding: 0, visibility: COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } },
          { binding: 1, visibility: COMPUTE, buffer: { type: 'storage' } },
          ...kinds.map((kind, i): GPUBindGroupLayoutEntry => {
            const type = kind === 'read' ? 'read-only-storage' : 'storage';
            return { binding: FIRST_BINDING + i, visibility: COMPUTE, buffer: { type } };
          }),
        ],
      }),
    );
    known.set(kinds.join(), layout);
  }
  return layout;
}

/** Errors (when awaited): gpu/kernel. */
export function pipelineFor(
  gpu: Gpu,
  op: OpName,
  { name, parts, constants }: Dispatch,
  where: readonly Where[],
): Promise<GPUComputePipeline> {
  const key = `${name}|${where.join()}|${JSON.stringify(constants)}`;
  let pipeline = gpu.pipelines.get(key);
  if (!pipeline) {
    pipeline = compile(gpu, name, [prelude(op, where, constants), ...parts].join('\n'), bindGroupLayout(gpu, where));
    pipeline.catch(() => gpu.pipelines.delete(key)); // awaited elsewhere; not remembered
    gpu.pipelines.set(key, pipeline);
  }
  return pipeline;
}

async function compile(gpu: Gpu, name: string, code: string, group: GPUBindGroupLayout): Promise<GPUComputePipeline> {
  const { device } = gpu;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ label: name, code });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
  const made = device.createComputePipelineAsync({ label: name, layout, compute: { module, entryPoint: 'main' } });
  const refused = device.popErrorScope();
  try {
    const pipeline = await made;
    const error = await refused;
    if (error) throw error;
    return pipeline;
  } catch (error) {
    gpu.check();
    const { messages } = await module.getCompilationInfo();
    const lines = messages.map(({ lineNum, linePos, message }) => `${lineNum}:${linePos} ${message}`);
    const detail = [(error as { message?: string }).message ?? String(error), ...lines].join('\n');
    throw new CodedError('gpu/kernel', `The GPU does not accept the kernel ${name}.`, 'Use the CPU engine.', detail);
  }
}
