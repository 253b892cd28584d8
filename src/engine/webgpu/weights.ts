// The base weights on the GPU: panels in their storage type, one buffer if they fit what a kernel may see of a buffer,
// else several; a matrix that is too large by itself lies in parts (parts.ts). When all are f32 and in one buffer they can
// train. Also the rope table. Knows nothing of plans' ops.
import { CodedError } from '../../errors.ts';
import { TensorLayout } from '../host/layout.ts';
import { packTensor } from '../host/pack.ts';
import type { WeightStore } from '../host/session.ts';
import { toF32 } from '../model/convert.ts';
import { pad8 } from '../plan/shape.ts';
import { ropeTable } from '../plan/rope.ts';
import type { ModelWeights } from '../types.ts';
import type { Block } from './device.ts';
import type { GpuExecutor, Place } from './executor.ts';
import type { Part } from './parts.ts';

const ALIGN = 256;

export class GpuWeights implements WeightStore<Place> {
  readonly layout: TensorLayout;
  readonly flat: Place | null;
  private readonly blocks: Block[] = [];
  private readonly places = new Map<string, Place>();
  private table: { place: Place; positions: number };

  /** Errors: model/tensor, model/shape, model/dtype, model/memory. */
  constructor(
    private readonly executor: GpuExecutor,
    weights: ModelWeights,
  ) {
    this.layout = new TensorLayout(weights, ALIGN);
    const { gpu } = executor;
    let [end, names]: [number, Map<string, number>] = [0, new Map()];
    const shard = () => {
      if (end === 0) return;
      const block = this.take(end);
      for (const [name, offset] of names) this.places.set(name, { block, offset: offset / 4 });
      [end, names] = [0, new Map()];
    };
    for (const [name, { bytes, shape }] of this.layout.stored) {
      if (bytes > gpu.largest) {
        const parts = this.parts(bytes, shape[0]!);
        this.places.set(name, { block: parts[0]!.block, offset: 0, parts });
        continue;
      }
      if (end + bytes > gpu.largest) shard();
      names.set(name, end);
      end += Math.ceil(bytes / ALIGN) * ALIGN;
    }
    shard();
    const whole = [...this.places.values()].every(({ parts }) => !parts);
    this.flat = whole && this.blocks.length === 1 ? { block: this.blocks[0]!, offset: 0 } : null;
    for (const [name, { bytes, shape }] of this.layout.stored) {
      const packed = new Uint8Array(bytes);
      const tensor = weights.tensors.get(name)!;
      if (shape.length === 1) new Float32Array(packed.buffer, 0, pad8(shape[0]!)).set(toF32(tensor));
      else packTensor(tensor, packed);
      let from = 0;
      for (const { place, words } of this.pieces(name)) {
        executor.write(place, new Float32Array(packed.buffer, from * 4, words));
        from += words;
      }
    }
    this.table = { place: { block: gpu.take(16), offset: 0 }, positions: 0 };
  }

  private take(bytes: number): Block {
    const block = this.executor.gpu.take(bytes / 4, 'Choose a smaller model, or one whose weights are quantised.');
    this.blocks.push(block);
    return block;
  }

  /** Buffers for a matrix of n rows, whole panels of eight in each. */
  private parts(bytes: number, n: number): Part[] {
    const rowBytes = bytes / pad8(n);
    const most = Math.max(8, Math.floor(this.executor.gpu.largest / rowBytes / 8) * 8);
    return Array.from({ length: Math.ceil(pad8(n) / most) }, (_, i) => {
      const [first, end] = [i * most, Math.min(pad8(n), (i + 1) * most)];
      return { block: this.take((end - first) * rowBytes), first, end };
    });
  }

  /** Where a tensor's words lie, in order. */
  private pieces(name: string): { place: Place; words: number }[] {
    const { bytes, shape } = this.layout.stored.get(name)!;
    const place = this.place(name);
    if (!place.parts) return [{ place, words: bytes / 4 }];
    const rowWords = bytes / 4 / pad8(shape[0]!);
    return place.parts.map(({ block, first, end }) => ({
      place: { block, offset: 0 },
      words: (end - first) * rowWords,
    }));
  }

  place(name: string): Place {
    const place = this.places.get(name);
    if (!place) throw new CodedError('model/tensor', `There is no buffer ${name} on the GPU.`);
    return place;
  }

  get rope(): Place {
    return this.table.place;
  }

  ensureRope(positions: number): void {
    if (positions <= this.table.positions) return;
    const { config } = this.layout;
    let count = Math.max(256, this.table.positions);
    while (count < positions) count *= 2;
    count = Math.min(count, Math.max(positions, config.context));
    const values = ropeTable(config, count);
    const place = { block: this.executor.gpu.take(values.length), offset: 0 };
    this.executor.give(this.table.place);
    this.table = { place, positions: count };
    this.executor.write(this.table.place, values);
  }

  /** FNV-1a over the words of all tensors as they are on the GPU, 64 bits wide: the CPU's hash of the same weights. */
  async hash(): Promise<string> {
    let [high, low] = [0xcbf29ce4, 0x84222325];
    for (const name of [...this.layout.stored.keys()].sort()) {
      for (const { place, words } of this.pieces(name)) {
        for (const word of await this.executor.words(place, words)) {
          low = (low ^ word) >>> 0;
          // times 2^40 + 0x1b3
          const product = low * 0x1b3;
          high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
          low = product >>> 0;
        }
      }
    }
    return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
  }

  close(): void {
    for (const block of this.blocks) this.executor.gpu.give(block);
    this.executor.gpu.give(this.table.place.block);
  }
}
