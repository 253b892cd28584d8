// One WebAssembly.Memory and what lies where in it: first-fit allocation, growth, views that survive growth.
// Knows nothing of plans. Addresses are bytes; a page of WebAssembly memory is 64 KiB.
import { CodedError } from '../../errors.ts';

const PAGE = 65536;
const ALIGN = 64;
const RESERVED = PAGE; // control block and the kernels' own data

export class Arena {
  readonly memory: WebAssembly.Memory;
  bytes = 0;
  peak = 0;
  private end = RESERVED;
  private free: { address: number; bytes: number }[] = [];
  private readonly taken = new Map<number, number>();
  private views: { f32: Float32Array; i32: Int32Array; u8: Uint8Array; buffer: ArrayBufferLike } | null = null;

  constructor(readonly shared: boolean) {
    this.memory = shared ? sharedMemory() : new WebAssembly.Memory({ initial: 16 });
  }

  /** Errors: model/memory when the machine (or WebAssembly's 4 GB) has no more. */
  take(bytes: number): number {
    const size = Math.ceil(Math.max(1, bytes) / ALIGN) * ALIGN;
    const i = this.free.findIndex((hole) => hole.bytes >= size);
    let address: number;
    const hole = this.free[i];
    if (hole) {
      address = hole.address;
      if (hole.bytes === size) this.free.splice(i, 1);
      else this.free[i] = { address: address + size, bytes: hole.bytes - size };
    } else {
      const last = this.free.at(-1);
      address = last && last.address + last.bytes === this.end ? this.free.pop()!.address : this.end;
      this.grow(address + size);
      this.end = address + size;
    }
    this.taken.set(address, size);
    this.bytes += size;
    this.peak = Math.max(this.peak, this.bytes);
    return address;
  }

  give(address: number): void {
    const bytes = this.taken.get(address);
    if (bytes === undefined) return;
    this.taken.delete(address);
    this.bytes -= bytes;
    let at = this.free.findIndex((hole) => hole.address > address);
    if (at < 0) at = this.free.length;
    this.free.splice(at, 0, { address, bytes });
    for (const i of [at, at - 1]) {
      const [a, b] = [this.free[i], this.free[i + 1]];
      if (a && b && a.address + a.bytes === b.address) this.free.splice(i, 2, { ...a, bytes: a.bytes + b.bytes });
    }
  }

  private grow(end: number): void {
    const have = this.memory.buffer.byteLength;
    if (end <= have) return;
    const need = Math.ceil((end - have) / PAGE);
    const step = Math.max(need, Math.min(1024, Math.ceil(have / PAGE / 4)));
    for (const pages of [step, need]) {
      try {
        this.memory.grow(pages);
        return;
      } catch {
        // try the smaller step
      }
    }
    throw new CodedError(
      'model/memory',
      `No memory for ${Math.round(end / 2 ** 20)} MB in one WebAssembly memory.`,
      'Choose a smaller model, fewer sequences at once, or shorter ones.',
    );
  }

  private get all() {
    const { buffer } = this.memory;
    if (this.views?.buffer !== buffer) {
      const f32 = new Float32Array(buffer);
      this.views = { f32, i32: new Int32Array(buffer), u8: new Uint8Array(buffer), buffer };
    }
    return this.views;
  }

  /** Views over the whole memory as it is now: use at once, never keep. */
  get f32(): Float32Array {
    return this.all.f32;
  }
  get i32(): Int32Array {
    return this.all.i32;
  }
  get u8(): Uint8Array {
    return this.all.u8;
  }

  floats(address: number, words: number): Float32Array {
    return this.f32.subarray(address / 4, address / 4 + words);
  }
  ints(address: number, words: number): Int32Array {
    return this.i32.subarray(address / 4, address / 4 + words);
  }
}

function sharedMemory(): WebAssembly.Memory {
  for (const maximum of [65536, 32768, 16384]) {
    try {
      return new WebAssembly.Memory({ initial: 16, maximum, shared: true });
    } catch {
      // less address space, as on phones
    }
  }
  return new WebAssembly.Memory({ initial: 16, maximum: 8192, shared: true });
}
