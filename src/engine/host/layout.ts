// Where each base tensor lies in one region of panels and vectors, and what a flat f32 buffer of that layout means.
// Knows nothing of the memory that holds it.
import { CodedError } from '../../errors.ts';
import { checkTensors, expectedTensors } from '../model/tensors.ts';
import { dtypeCode, pad8, panelBytes } from '../plan/shape.ts';
import type { DType, ModelConfig, ModelWeights, Tensor } from '../types.ts';
import { packF32, unpackF32 } from './pack.ts';

export interface Stored {
  /** Bytes from the region's start. */
  offset: number;
  bytes: number;
  shape: number[];
  dtype: DType;
}

export class TensorLayout {
  readonly config: ModelConfig;
  readonly stored: ReadonlyMap<string, Stored>;
  readonly bytes: number;

  /** Vectors are kept as f32. Errors: model/tensor, model/shape, model/dtype. */
  constructor(weights: ModelWeights, align: number) {
    this.config = weights.config;
    checkTensors(weights.config, weights.tensors);
    if (weights.config.headDim % 8 !== 0) {
      throw new CodedError('model/shape', `A head of ${weights.config.headDim} is not a multiple of 8.`);
    }
    const stored = new Map<string, Stored>();
    let end = 0;
    for (const [name, shape] of expectedTensors(weights.config)) {
      const dtype = shape.length === 1 ? 'f32' : weights.tensors.get(name)!.dtype;
      dtypeCode(dtype);
      const bytes = shape.length === 1 ? pad8(shape[0]!) * 4 : panelBytes(dtype, shape[0]!, shape[1]!);
      stored.set(name, { offset: end, bytes, shape, dtype });
      end += Math.ceil(bytes / align) * align;
    }
    this.stored = stored;
    this.bytes = end;
  }

  dtype = (name: string): number => dtypeCode(this.stored.get(name)!.dtype);

  /** Word offsets of all tensors in the region, or null unless all are f32. */
  offsets(): Map<string, number> | null {
    const all = [...this.stored];
    if (all.some(([, { dtype }]) => dtype !== 'f32')) return null;
    return new Map(all.map(([name, { offset }]) => [name, offset / 4]));
  }

  /** Row-major f32 copies of a flat buffer with this layout, by name. */
  *values(flat: Float32Array): Generator<[string, { shape: number[]; data: Float32Array<ArrayBuffer> }]> {
    for (const [name, { offset, shape }] of this.stored) {
      const from = flat.subarray(offset / 4);
      const data =
        shape.length === 1 ? new Float32Array(from.subarray(0, shape[0])) : unpackF32(from, shape[0]!, shape[1]!);
      yield [name, { shape: [...shape], data }];
    }
  }

  /** A flat buffer as a model's weights. */
  weights(flat: Float32Array): ModelWeights {
    const tensors = new Map<string, Tensor>();
    for (const [name, { shape, data }] of this.values(flat)) {
      tensors.set(name, { dtype: 'f32', shape, data: new Uint8Array(data.buffer) });
    }
    return { config: this.config, tensors };
  }

  /** A flat buffer as row-major values, tensor after tensor; and back. */
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
  fromPublic(values: Float32Array): Float32Array {
    const flat = new Float32Array(this.bytes / 4);
    let at = 0;
    for (const { offset, shape } of this.stored.values()) {
      const [n, k] = shape as [number, number?];
      const length = n * (k ?? 1);
      const from = values.subarray(at, at + length);
      if (k === undefined) flat.set(from, offset / 4);
      else packF32(from, n, k, flat.subarray(offset / 4, offset / 4 + pad8(n) * pad8(k)));
      at += length;
    }
    return flat;
  }
}
