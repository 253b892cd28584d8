// The base weights in WASM memory: one region, every tensor in its storage type and panel order, vectors as f32.
// When all are f32 the region is one flat buffer that can train. Also the rope table. Knows nothing of plans' ops.
import { CodedError } from '../../errors.ts';
import { toF32 } from '../model/convert.ts';
import { countOf } from '../model/dtype.ts';
import { checkTensors, expectedTensors } from '../model/tensors.ts';
import { ropeTable } from '../plan/rope.ts';
import { dtypeCode, pad8, panelBytes } from '../plan/shape.ts';
import type { DType, ModelConfig, ModelWeights, Tensor } from '../types.ts';
import type { Executor } from './executor.ts';
import { packF32, packTensor, unpackF32 } from './pack.ts';

interface Stored {
  offset: number; // bytes from the region's start
  bytes: number;
  shape: number[];
  dtype: DType;
}

export class WeightStore {
  readonly region: { address: number; bytes: number };
  readonly config: ModelConfig;
  private readonly stored = new Map<string, Stored>();
  private rope = { address: 0, positions: 0 };

  constructor(
    private readonly executor: Executor,
    weights: ModelWeights,
  ) {
    this.config = weights.config;
    checkTensors(weights.config, weights.tensors);
    if (weights.config.headDim % 8 !== 0) {
      throw new CodedError('model/shape', `A head of ${weights.config.headDim} is not a multiple of 8.`);
    }
    let bytes = 0;
    for (const [name, shape] of expectedTensors(weights.config)) {
      const tensor = weights.tensors.get(name)!;
      const dtype = shape.length === 1 ? 'f32' : tensor.dtype;
      dtypeCode(dtype);
      const size = shape.length === 1 ? pad8(shape[0]!) * 4 : panelBytes(dtype, shape[0]!, shape[1]!);
      this.stored.set(name, { offset: bytes, bytes: size, shape, dtype });
      bytes += Math.ceil(size / 16) * 16;
    }
    this.region = { address: executor.arena.take(bytes), bytes };
    executor.arena.u8.fill(0, this.region.address, this.region.address + bytes);
    for (const [name, { offset, bytes: size, shape }] of this.stored) {
      const tensor = weights.tensors.get(name)!;
      const from = this.region.address + offset;
      if (shape.length === 1) executor.arena.f32.set(toF32(tensor), from / 4);
      else packTensor(tensor, executor.arena.u8.subarray(from, from + size));
    }
  }

  dtype = (name: string): number => dtypeCode(this.stored.get(name)!.dtype);

  address(name: string): number {
    return this.region.address + this.stored.get(name)!.offset;
  }

  /** Word offsets of all tensors in the region, or null unless all are f32. */
  flat(): Map<string, number> | null {
    const all = [...this.stored];
    if (all.some(([, { dtype }]) => dtype !== 'f32')) return null;
    return new Map(all.map(([name, { offset }]) => [name, offset / 4]));
  }

  /** Row-major f32 copies of a flat buffer with the region's layout, by name. */
  *values(flat: Float32Array): Generator<[string, { shape: number[]; data: Float32Array }]> {
    for (const [name, { offset, shape }] of this.stored) {
      const from = flat.subarray(offset / 4);
      const data = shape.length === 1 ? from.slice(0, shape[0]) : unpackF32(from, shape[0]!, shape[1]!);
      yield [name, { shape: [...shape], data }];
    }
  }

  /** A flat buffer with the region's layout as row-major values, tensor after tensor; and back. */
  toPublic(flat: Float32Array): Float32Array {
    const all = [...this.values(flat)].map(([, { data }]) => data);
    const out = new Float32Array(all.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const data of all) {
      out.set(data, at);
      at += data.length;
    }
    return out;
  }
  fromPublic(values: Float32Array, flat: Float32Array): void {
    let at = 0;
    for (const { offset, bytes, shape } of this.stored.values()) {
      const count = countOf(shape);
      const from = values.subarray(at, (at += count));
      const to = flat.subarray(offset / 4, (offset + bytes) / 4);
      if (shape.length === 1) to.set(from);
      else packF32(from, shape[0]!, shape[1]!, to);
    }
  }

  /** A copy of all weights as they are now; only f32. */
  copy(): ModelWeights {
    const tensors = new Map<string, Tensor>();
    const flat = this.executor.arena.floats(this.region.address, this.region.bytes / 4);
    for (const [name, { shape, data }] of this.values(flat)) {
      tensors.set(name, { dtype: 'f32', shape, data: new Uint8Array(data.buffer) });
    }
    return { config: this.config, tensors };
  }

  /** The table for at least `positions` positions. */
  ensureRope(positions: number): void {
    if (positions <= this.rope.positions) return;
    const { arena } = this.executor;
    let count = Math.max(256, this.rope.positions);
    while (count < positions) count *= 2;
    count = Math.min(count, Math.max(positions, this.config.context));
    if (this.rope.positions > 0) arena.give(this.rope.address);
    const table = ropeTable(this.config, count);
    this.rope = { address: arena.take(table.byteLength), positions: count };
    arena.f32.set(table, this.rope.address / 4);
    this.executor.moved();
  }

  get ropeAddress(): number {
    return this.rope.address;
  }

  hash(): string {
    let hash = 0xcbf29ce484222325n;
    for (const name of [...this.stored.keys()].sort()) {
      const { bytes } = this.stored.get(name)!;
      hash = this.executor.hash(this.address(name), bytes / 4, hash);
    }
    return hash.toString(16).padStart(16, '0');
  }
}
