// Pages of keys and values in one GPU buffer that doubles as it fills. An address counts bytes from the buffer's start.
// Knows nothing of attention.
import type { PageMemory } from '../host/machine.ts';
import type { Block } from './device.ts';
import type { GpuExecutor, Place } from './executor.ts';

export class GpuPages implements PageMemory {
  private block: Block;
  private end = 0; // bytes
  private free: number[] = [];

  constructor(private readonly executor: GpuExecutor) {
    this.block = executor.gpu.take(1 << 14);
  }

  get place(): Place {
    return { block: this.block, offset: 0 };
  }

  /** All pages of a model have one size. Errors: model/memory. */
  take(bytes: number): number {
    const known = this.free.pop();
    if (known !== undefined) return known;
    const address = this.end;
    if (address + bytes > this.block.words * 4) this.grow(address + bytes);
    this.end += bytes;
    return address;
  }

  give(address: number): void {
    this.free.push(address);
  }

  private grow(bytes: number): void {
    const { executor, block: old } = this;
    const words = Math.max(bytes / 4, Math.min(executor.gpu.largest / 4, old.words * 2));
    this.block = executor.gpu.take(words);
    this.command((encoder) => encoder.copyBufferToBuffer(old.buffer, 0, this.block.buffer, 0, old.words * 4));
    executor.gpu.give(old);
    executor.moved();
  }

  /** By way of another buffer: WebGPU does not copy within one. */
  copy(from: number, to: number, bytes: number): void {
    const { gpu } = this.executor;
    const between = gpu.take(bytes / 4);
    this.command((encoder) => {
      encoder.copyBufferToBuffer(this.block.buffer, from, between.buffer, 0, bytes);
      encoder.copyBufferToBuffer(between.buffer, 0, this.block.buffer, to, bytes);
    });
    gpu.give(between);
  }

  private command(write: (encoder: GPUCommandEncoder) => void): void {
    const { gpu } = this.executor;
    gpu.scoped(() => {
      const encoder = gpu.device.createCommandEncoder();
      write(encoder);
      gpu.submit(encoder.finish());
    });
  }

  close(): void {
    this.executor.gpu.give(this.block);
  }
}
