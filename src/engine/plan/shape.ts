// Sizes that every plan needs: padded widths, storage types, the flat order of an adapter's panels. A weight [N, K] is
// kept as panels [N/8][K][8], both sizes padded with zeros to multiples of 8 (blocks of 32 divide K by themselves).
import { CodedError } from '../../errors.ts';
import { byteLength } from '../model/dtype.ts';
import { LINEAR_PATH, linearShape } from '../model/tensors.ts';
import type { DType, LoraConfig, LoraTarget, ModelConfig } from '../types.ts';

export const pad8 = (n: number): number => (n + 7) & ~7;

/** Keys of one page of the key-value cache. */
export const PAGE = 32;
/** Queries of one unit of attention work. */
export const UNIT = 16;

/** Storage types in the order of their codes in kernels/unpack.ts. */
export const DTYPES: readonly DType[] = [
  ...(['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1', 'q4_k', 'q6_k'] as const),
];

export const dtypeCode = (dtype: DType): number => {
  const code = DTYPES.indexOf(dtype);
  if (code < 0) throw new CodedError('model/dtype', `The engine has no kernel for weights of type ${dtype}.`);
  return code;
};

/** Bytes of the padded panels of a weight. */
export const panelBytes = (dtype: DType, n: number, k: number): number => byteLength(dtype, [pad8(n), pad8(k)]);

/** Hugging Face's module path of a linear layer, without `.weight`. */
export const linearName = (layer: number, target: LoraTarget): string => `model.layers.${layer}.${LINEAR_PATH[target]}`;

/** Linear layers that read the same input; their lora_A panels lie side by side so that one product serves all. */
export const INPUT_GROUPS: readonly (readonly LoraTarget[])[] = [
  ['q_proj', 'k_proj', 'v_proj'],
  ['o_proj'],
  ['gate_proj', 'up_proj'],
  ['down_proj'],
];

/** One tensor's panels in a flat buffer; offset in words, n and k unpadded. */
export interface Piece {
  name: string;
  n: number;
  k: number;
  offset: number;
}

export interface LoraLayout {
  words: number;
  /** lora_A and lora_B of each layer and target, by `${layer}.${target}`. */
  pairs: Map<string, { a: Piece; b: Piece }>;
  pieces: Piece[];
}

/** Order: per layer, per input group, all lora_A, then all lora_B. */
export function loraLayout(config: ModelConfig, lora: LoraConfig): LoraLayout {
  const layout: LoraLayout = { words: 0, pairs: new Map(), pieces: [] };
  const place = (name: string, n: number, k: number): Piece => {
    const piece = { name: `base_model.model.${name}.weight`, n, k, offset: layout.words };
    layout.words += pad8(n) * pad8(k);
    layout.pieces.push(piece);
    return piece;
  };
  for (let layer = 0; layer < config.layers; layer++) {
    for (const group of INPUT_GROUPS) {
      const targets = group.filter((target) => lora.targets.includes(target));
      const as = targets.map((target) =>
        place(`${linearName(layer, target)}.lora_A`, lora.rank, linearShape(config, target)[1]),
      );
      targets.forEach((target, i) => {
        const b = place(`${linearName(layer, target)}.lora_B`, linearShape(config, target)[0], lora.rank);
        layout.pairs.set(`${layer}.${target}`, { a: as[i]!, b });
      });
    }
  }
  return layout;
}
