// Runs plans on the WASM kernels: gives every buffer an address, writes the ops as records of 32 words, starts the
// interpreter on all threads. Knows nothing of models, sequences or training.
import type { Bind, Machine, PageMemory } from '../host/machine.ts';
import { type OpName, OP_NAMES, OPS } from '../plan/ops.ts';
import type { Plan } from '../plan/builder.ts';
import { compiled } from './compiled.ts';
import { Arena } from './memory.ts';
import { canShare, type Helper, processors, startHelper } from './threads.ts';

interface Kernels {
  run(plan: number, count: number, threads: number): void;
  setThread(address: number, bytes: number, maySleep: number): void;
  generation(): number;
  fuses(): number;
  quit(): void;
  hash(from: number, words: number, seed: bigint): bigint;
}

const RECORD = 32; // words
const TIMING = 0x140;
const TIMES = 0x200;

/** Places are addresses: bytes in the one memory. */
export class Executor implements Machine<number> {
  readonly burst = 0;
  private slab = { address: 0, words: 0 };
  private records = { address: 0, words: 0 };
  private readonly encoded = new WeakMap<Plan, { version: number; words: Int32Array }>();
  /** Addresses that encoded plans hold are only good for one version. */
  private version = 0;

  private constructor(
    readonly arena: Arena,
    private readonly kernels: Kernels,
    private readonly helpers: Helper[],
    readonly threads: number,
    /** Products and sums of the linear layers are rounded once. */
    readonly fused: boolean,
  ) {}

  /**
   * `threads`: how many at most; fewer where they cannot start. `scratch`: bytes of working memory a thread. `fused`:
   * multiply-adds, where runtime and processor have them.
   */
  static async create(threads: number | undefined, scratch: number, fused = false): Promise<Executor> {
    const wanted = Math.max(1, Math.min(16, threads ?? processors()));
    const shared = wanted > 1 && canShare();
    const module = await compiled(shared, fused);
    const arena = new Arena(shared);
    const now = () => performance.now();
    const instance = await WebAssembly.instantiate(module, { env: { memory: arena.memory }, index: { now } });
    const kernels = instance.exports as unknown as Kernels;
    const onPage = typeof document !== 'undefined'; // a page's own thread is not allowed to sleep
    kernels.setThread(arena.take(scratch), scratch, onPage ? 0 : 1);
    const helpers: Helper[] = [];
    for (let thread = 1; shared && thread < wanted; thread++) {
      const start = { module, memory: arena.memory, thread, scratch: arena.take(scratch), bytes: scratch };
      try {
        helpers.push(await startHelper({ ...start, seen: kernels.generation() }));
      } catch {
        arena.give(start.scratch);
        break;
      }
    }
    return new Executor(arena, kernels, helpers, helpers.length + 1, kernels.fuses() !== 0);
  }

  /** Makes room for a plan's slab. Call before writing its slots. */
  prepare(plan: Plan): void {
    if (plan.words > this.slab.words) {
      this.release();
      this.slab = { address: this.arena.take(plan.words * 4), words: plan.words };
    }
  }

  /** A bound buffer has moved: encode plans again. */
  moved(): void {
    this.version++;
  }

  /** Gives the slab back, so that large plans leave nothing behind. */
  release(): void {
    if (this.slab.words > 0) this.arena.give(this.slab.address);
    this.slab = { address: 0, words: 0 };
    this.version++;
  }

  slotAddress(plan: Plan, name: string): number {
    return this.slab.address + plan.slots.get(name)!.offset * 4;
  }
  floats(plan: Plan, name: string): Float32Array {
    return this.arena.floats(this.slotAddress(plan, name), plan.slots.get(name)!.words);
  }
  ints(plan: Plan, name: string): Int32Array {
    return this.arena.ints(this.slotAddress(plan, name), plan.slots.get(name)!.words);
  }

  run(plan: Plan, bind: Bind<number>): void {
    this.prepare(plan);
    const words = this.encode(plan, bind);
    if (words.length > this.records.words) {
      if (this.records.words > 0) this.arena.give(this.records.address);
      this.records = { address: this.arena.take(words.length * 4), words: words.length };
    }
    this.arena.ints(this.records.address, words.length).set(words);
    this.kernels.run(this.records.address, plan.ops.length, this.threads);
  }

  take(words: number): number {
    const address = this.arena.take(words * 4);
    this.arena.floats(address, words).fill(0);
    return address;
  }
  give(address: number): void {
    this.arena.give(address);
  }
  write(address: number, values: Float32Array): void {
    this.arena.f32.set(values, address / 4);
  }
  read(address: number, words: number): Float32Array {
    return Float32Array.from(this.arena.floats(address, words));
  }

  readonly pages: PageMemory = {
    take: (bytes) => this.arena.take(bytes),
    give: (address) => this.arena.give(address),
    copy: (from, to, bytes) => void this.arena.u8.copyWithin(to, from, from + bytes),
  };

  private encode(plan: Plan, bind: Bind<number>): Int32Array {
    const known = this.encoded.get(plan);
    if (known?.version === this.version) return known.words;
    const addresses = plan.buffers.map(({ bound, offset }) =>
      bound === null ? this.slab.address + offset * 4 : bind(bound),
    );
    const words = new Int32Array(plan.ops.length * RECORD);
    const floats = new Float32Array(words.buffer);
    plan.ops.forEach((op, i) => {
      let w = i * RECORD;
      words[w++] = OP_NAMES.indexOf(op.name) + 1;
      for (const ref of op.refs) words[w++] = ref ? addresses[ref.buffer]! + ref.offset * 4 : 0;
      for (const int of op.ints) words[w++] = int;
      for (const real of op.reals) floats[w++] = real;
    });
    this.encoded.set(plan, { version: this.version, words });
    return words;
  }

  /** Hash of words in memory, chained by `seed`. */
  hash(address: number, words: number, seed: bigint): bigint {
    return BigInt.asUintN(64, this.kernels.hash(address, words, seed));
  }

  /** Starts counting milliseconds per op; `times` reads them. */
  startTiming(): void {
    new Float64Array(this.arena.memory.buffer, TIMES, OP_NAMES.length + 1).fill(0);
    this.arena.i32[TIMING / 4] = 1;
  }
  times(): Map<OpName, number> {
    this.arena.i32[TIMING / 4] = 0;
    const times = new Float64Array(this.arena.memory.buffer, TIMES, OP_NAMES.length + 1);
    return new Map(OP_NAMES.map((name, i) => [name, times[i + 1]!] as const).filter(([, ms]) => ms > 0));
  }

  async close(): Promise<void> {
    if (this.helpers.length > 0) this.kernels.quit();
    await Promise.all(this.helpers.splice(0).map((helper) => helper.end()));
  }
}

// A record must hold every op.
for (const [name, { out, in: read, int, real }] of Object.entries(OPS)) {
  if (1 + out.length + read.length + int.length + real.length > RECORD) throw new Error(`op ${name} is too wide`);
}
