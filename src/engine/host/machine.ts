// What generation, scoring and training ask of an executor: room for a plan, its slots as arrays, running it, and memory
// that outlives plans. `B` is the executor's own word for a place in it. Knows no op.
import type { Plan } from '../plan/builder.ts';

export type Awaitable<T> = T | Promise<T>;

/** Where a buffer that lives outside the plan is. */
export type Bind<B> = (name: string) => B;

export interface Machine<B> {
  /** Makes room for a plan. Call before writing its slots. */
  prepare(plan: Plan): void;
  /** A slot of the plan that was prepared last: to be filled before it runs, or read after. Use at once, never keep. */
  floats(plan: Plan, name: string): Float32Array;
  ints(plan: Plan, name: string): Int32Array;
  run(plan: Plan, bind: Bind<B>): Awaitable<void>;
  /** Multiply-adds that one run may hold where it is as well several: short of any watchdog. 0: one run costs nothing. */
  readonly burst: number;
  /** Gives working memory back, so that large plans leave nothing behind. */
  release(): void;

  /** Zeroed words. Errors: model/memory. */
  take(words: number): B;
  give(place: B): void;
  write(place: B, values: Float32Array): void;
  /** A copy. */
  read(place: B, words: number): Awaitable<Float32Array>;
}

/** Memory for pages of keys and values; addresses are bytes, in the units that page tables hold. */
export interface PageMemory {
  take(bytes: number): number;
  give(address: number): void;
  copy(from: number, to: number, bytes: number): void;
}
