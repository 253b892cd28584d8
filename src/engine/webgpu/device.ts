// One WebGPU device: how it is got, buffers and pipelines made inside error scopes, and the first thing that went wrong
// with it, which ends whatever runs on it. Works with a browser's navigator.gpu or any other GPU object (Dawn in Node).
// Knows nothing of plans.
import { CodedError } from '../../errors.ts';
import { USUAL, type Variants } from './variants.ts';

/** WebGPU's usage flags; their namespaces do not exist in Node. */
export const USAGE = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, uniform: 0x40, storage: 0x80 } as const;
export const MAP_READ = 0x1;
export const COMPUTE = 0x4;

/** A buffer in words. `id` tells buffers apart in keys. */
export interface Block {
  readonly id: number;
  readonly words: number;
  readonly buffer: GPUBuffer;
}

export interface GpuFacts {
  vendor: string;
  architecture: string;
  description: string;
  /** Computed by the processor: WASM is faster. */
  software: boolean;
}

/** What to lower where temporaries, or keys and values, are too many for a buffer. */
export const SHORTER = 'Ask for fewer sequences at once, or shorter ones; or choose a smaller model.';
const LOST_HINT = 'Open the model again: training goes on from its last snapshot. If it happens again, use the CPU.';

export class Gpu {
  bytes = 0;
  peak = 0;
  /** Buffers made so far, and submits. */
  made = 0;
  submits = 0;
  /** Which kernels run on it; changed before any session is made (autotune.ts). */
  variants: Variants;
  /** Bytes of the largest buffer that a kernel can see; tests lower it. */
  largest: number;
  readonly pipelines = new Map<string, Promise<GPUComputePipeline>>();
  private failure: CodedError | null = null;
  private closed = false;
  private checks: Promise<void>[] = [];
  private readonly over: Promise<never>;

  private constructor(
    readonly device: GPUDevice,
    readonly facts: GpuFacts,
  ) {
    this.variants = USUAL[facts.software ? 'software' : 'gpu'];
    this.largest = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
    this.over = device.lost.then(({ reason, message }) => {
      if (!this.closed)
        this.fail(new CodedError('gpu/lost', 'The GPU device was lost.', LOST_HINT, `${reason}: ${message}`));
      throw this.failure ?? new CodedError('gpu/closed', 'The GPU device has been given back.');
    });
    this.over.catch(() => undefined);
    device.addEventListener('uncapturederror', (event) => {
      this.fail(invalid((event as GPUUncapturedErrorEvent).error));
    });
  }

  /**
   * A device with WebGPU's default limits, but buffers as large as the adapter has. `gpu`: default navigator.gpu.
   * `wanted`: features asked for where there are.
   * Errors: gpu/unavailable (no WebGPU, or no adapter), gpu/device.
   */
  static async open(gpu: GPU | undefined = globalThis.navigator?.gpu, wanted: GPUFeatureName[] = []): Promise<Gpu> {
    const hint = 'Use the CPU engine, or a browser with WebGPU on a page served by https or from localhost.';
    if (!gpu) throw new CodedError('gpu/unavailable', 'There is no WebGPU here.', hint);
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) throw new CodedError('gpu/unavailable', 'WebGPU has no adapter for this machine’s GPU.', hint);
    const { vendor, architecture, description } = adapter.info;
    const software =
      adapter.info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/i.test(`${architecture} ${description}`);
    try {
      const requiredFeatures = wanted.filter((feature) => adapter.features.has(feature));
      const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
      const requiredLimits = { maxStorageBufferBindingSize, maxBufferSize };
      const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
      return new Gpu(device, { vendor, architecture, description, software });
    } catch (error) {
      throw new CodedError('gpu/device', `The GPU gave no device: ${String(error)}`, hint);
    }
  }

  private fail(error: CodedError): void {
    this.failure ??= error;
  }

  /** Errors: gpu/lost, gpu/invalid, gpu/memory: the first that happened on this device. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** Runs something that makes or submits inside error scopes; what they catch fails the next `settled`. */
  scoped<T>(work: () => T): T {
    const { device } = this;
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('internal');
    try {
      return work();
    } finally {
      for (let scope = 0; scope < 3; scope++) {
        const caught = device.popErrorScope().then((error) => {
          if (error) this.fail(invalid(error));
        });
        this.checks.push(caught.catch(() => undefined)); // a lost device says so itself
      }
    }
  }

  /** All that was made or submitted so far went well. */
  async settled(): Promise<void> {
    await Promise.all(this.checks.splice(0));
    this.check();
  }

  /** The result, or the loss of the device, or `ms` without either. Errors: gpu/lost, gpu/stuck. */
  async within<T>(ms: number, work: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.fail(new CodedError('gpu/stuck', `The GPU has not answered for ${ms / 1000} s.`, 'Use the CPU engine.'));
        reject(this.failure!);
      }, ms);
    });
    try {
      return await Promise.race([work, this.over, late]);
    } catch (error) {
      this.check();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** One buffer may hold so many words. `hint`: what to lower where it may not. Errors: model/memory. */
  allow(words: number, hint = SHORTER, usage: number = USAGE.storage): void {
    const size = words * 4;
    const most = usage & USAGE.storage ? this.largest : this.device.limits.maxBufferSize;
    if (size > most) {
      throw new CodedError(
        'model/memory',
        `One GPU buffer of ${megabytes(size)} is needed; this device allows ${megabytes(most)}.`,
        hint,
      );
    }
  }

  /** Zeroed words. Errors: model/memory. */
  take(words: number, hint = SHORTER, usage: number = USAGE.storage | USAGE.copySource | USAGE.copyTarget): Block {
    this.allow(words, hint, usage);
    const size = Math.max(16, words) * 4;
    const buffer = this.scoped(() => this.device.createBuffer({ size, usage }));
    this.bytes += size;
    this.peak = Math.max(this.peak, this.bytes);
    return { id: ++this.made, words: size / 4, buffer };
  }

  give({ buffer }: Block): void {
    this.bytes -= buffer.size;
    buffer.destroy();
  }

  submit(commands: GPUCommandBuffer): void {
    this.submits++;
    this.device.queue.submit([commands]);
  }

  close(): void {
    this.closed = true;
    this.device.destroy();
  }
}

const megabytes = (bytes: number) => `${Number((bytes / 2 ** 20).toPrecision(4))} MB`;

const invalid = (error: GPUError): CodedError =>
  error.constructor.name === 'GPUOutOfMemoryError' // Node has no such global
    ? new CodedError('gpu/memory', 'The GPU has no memory left.', 'Choose a smaller model, or the CPU.', error.message)
    : new CodedError(
        'gpu/invalid',
        'The GPU refused what it was told; results are invalid.',
        'Use the CPU.',
        error.message,
      );
