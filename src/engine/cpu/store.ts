// The base weights in WASM memory: one region, every tensor in its storage type and panel order, vectors as f32.
// When all are f32 the region is one flat buffer that can train. Also the rope table. Knows nothing of plans' ops.
import { TensorLayout } from '../host/layout.ts';
import { packTensor } from '../host/pack.ts';
import type { WeightStore } from '../host/session.ts';
import { toF32 } from '../model/convert.ts';
import { ropeTable } from '../plan/rope.ts';
import type { ModelWeights } from '../types.ts';
import type { Executor } from './executor.ts';

export class CpuWeights implements WeightStore<number> {
  readonly layout: TensorLayout;
  readonly flat: number;
  private table = { address: 0, positions: 0 };

  constructor(
    private readonly executor: Executor,
    weights: ModelWeights,
  ) {
    this.layout = new TensorLayout(weights, 16);
    const { arena } = executor;
    this.flat = executor.take(this.layout.bytes / 4);
    for (const [name, { offset, bytes, shape }] of this.layout.stored) {
      const tensor = weights.tensors.get(name)!;
      const from = this.flat + offset;
      if (shape.length === 1) arena.f32.set(toF32(tensor), from / 4);
      else packTensor(tensor, arena.u8.subarray(from, from + bytes));
    }
  }

  place(name: string): number {
    return this.flat + this.layout.stored.get(name)!.offset;
  }

  ensureRope(positions: number): void {
    if (positions <= this.table.positions) return;
    const { arena } = this.executor;
    const { config } = this.layout;
    let count = Math.max(256, this.table.positions);
    while (count < positions) count *= 2;
    count = Math.min(count, Math.max(positions, config.context));
    if (this.table.positions > 0) arena.give(this.table.address);
    const table = ropeTable(config, count);
    this.table = { address: arena.take(table.byteLength), positions: count };
    arena.f32.set(table, this.table.address / 4);
    this.executor.moved();
  }

  get rope(): number {
    return this.table.address;
  }

  hash(): string {
    let hash = 0xcbf29ce484222325n;
    for (const name of [...this.layout.stored.keys()].sort()) {
      hash = this.executor.hash(this.place(name), this.layout.stored.get(name)!.bytes / 4, hash);
    }
    return hash.toString(16).padStart(16, '0');
  }
}
