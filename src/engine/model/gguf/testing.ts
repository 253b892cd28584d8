// Writes GGUF files, also wrong ones, and a Hugging Face model as llama.cpp's converter would. Only tests import it.
import type { ModelWeights, Tensor } from '../../types.ts';
import { inverseFrequencies } from '../../plan/rope.ts';
import { fromF32 } from '../convert.ts';
import { ggufName } from './tensors.ts';

/** A value with its type code: [4, 7] is the u32 7, [9, [8, ['a']]] a list of texts. */
export type Typed = [type: number, value: unknown];

/** Bytes as they come. */
export class Writer {
  private readonly parts: number[] = [];

  bytes(values: ArrayLike<number>): this {
    for (let i = 0; i < values.length; i++) this.parts.push(values[i]!);
    return this;
  }
  number(size: 1 | 2 | 4 | 8, value: number | bigint, float = false): this {
    const view = new DataView(new ArrayBuffer(8));
    if (float && size === 4) view.setFloat32(0, Number(value), true);
    else if (float) view.setFloat64(0, Number(value), true);
    else view.setBigInt64(0, BigInt(value), true);
    return this.bytes(new Uint8Array(view.buffer, 0, size));
  }
  string(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.number(8, bytes.length).bytes(bytes);
  }
  value(type: number, value: unknown): this {
    if (type === 8) return this.string(value as string);
    if (type === 9) {
      const [element, values] = value as [number, unknown[]];
      this.number(4, element).number(8, values.length);
      for (const one of values) this.value(element, one);
      return this;
    }
    if (type === 7) return this.number(1, value === true ? 1 : Number(value));
    const size = ([1, 1, 2, 2, 4, 4, 4, 0, 0, 0, 8, 8, 8] as const)[type]!;
    return this.number(size as 1, value as number, type === 6 || type === 12);
  }
  pad(alignment: number): this {
    while (this.parts.length % alignment !== 0) this.parts.push(0);
    return this;
  }
  get length(): number {
    return this.parts.length;
  }
  done = (): Uint8Array => Uint8Array.from(this.parts);
}

const TYPE_CODES: Record<string, number> = {
  ...{ f32: 0, f16: 1, q4_0: 2, q4_1: 3, q5_0: 6, q5_1: 7, q8_0: 8, q4_k: 12, q6_k: 14, bf16: 30 },
};

/** A file of these values and tensors, in this order. */
export function writeGguf(
  metadata: Record<string, Typed>,
  tensors: ReadonlyMap<string, Tensor> = new Map(),
  { version = 3, alignment = 32 } = {},
): Uint8Array {
  const out = new Writer().bytes(new TextEncoder().encode('GGUF')).number(4, version);
  out.number(8, tensors.size).number(8, Object.keys(metadata).length);
  for (const [key, [type, value]] of Object.entries(metadata)) out.string(key).number(4, type).value(type, value);
  let offset = 0;
  for (const [name, { dtype, shape, data }] of tensors) {
    out.string(name).number(4, shape.length);
    for (const size of [...shape].reverse()) out.number(8, size);
    out.number(4, TYPE_CODES[dtype]!).number(8, offset);
    offset = Math.ceil((offset + data.length) / alignment) * alignment;
  }
  for (const { data } of tensors.values()) out.pad(alignment).bytes(data);
  return out.done();
}

/** The rows of q and k as files of the llama architecture have them: of each head, row i and row i + half in turns. */
function interleaved({ dtype, shape, data }: Tensor, headDim: number): Tensor {
  const width = data.length / shape[0]!;
  const out: number[] = [];
  for (let head = 0; head < shape[0]!; head += headDim) {
    for (let i = 0; i < headDim / 2; i++) {
      for (const row of [head + i, head + i + headDim / 2]) out.push(...data.subarray(row * width, (row + 1) * width));
    }
  }
  return { dtype, shape, data: Uint8Array.from(out) };
}

/** The keys and tensors of a model; `more` keys replace its own. */
export function asGguf({ config, tensors }: ModelWeights, more: Record<string, Typed> = {}): Uint8Array {
  const at = (key: string) => `${config.family}.${key}`;
  const metadata: Record<string, Typed> = {
    'general.architecture': [8, config.family],
    [at('block_count')]: [4, config.layers],
    [at('context_length')]: [4, config.context],
    [at('embedding_length')]: [4, config.hidden],
    [at('feed_forward_length')]: [4, config.ffn],
    [at('attention.head_count')]: [4, config.heads],
    [at('attention.head_count_kv')]: [4, config.kvHeads],
    [at('attention.key_length')]: [4, config.headDim],
    [at('attention.layer_norm_rms_epsilon')]: [6, config.normEps],
    [at('rope.freq_base')]: [6, config.ropeTheta],
    ...more,
  };
  const out = new Map<string, Tensor>();
  for (const [name, tensor] of tensors) {
    const turned = config.family === 'llama' && /[qk]_proj\.weight$/.test(name);
    out.set(ggufName(name), turned ? interleaved(tensor, config.headDim) : tensor);
  }
  if (config.ropeScaling) {
    const plain = inverseFrequencies({ ...config, ropeScaling: null });
    const scaled = inverseFrequencies(config);
    out.set(
      'rope_freqs.weight',
      fromF32(
        plain.map((f, i) => f / scaled[i]!),
        'f32',
        [plain.length],
      ),
    );
  }
  return writeGguf(metadata, out);
}
