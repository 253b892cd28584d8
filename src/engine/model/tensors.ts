// Which tensors a model has, under Hugging Face's names, with their shapes. Knows nothing of where they come from.
import { CodedError } from '../../errors.ts';
import { LORA_TARGETS } from '../types.ts';
import type { LoraTarget, ModelConfig, Tensor } from '../types.ts';
import { byteLength } from './dtype.ts';

/** Where each linear layer of a block lives: the middle of its tensors' names. */
export const LINEAR_PATH: Readonly<Record<LoraTarget, string>> = {
  q_proj: 'self_attn.q_proj',
  k_proj: 'self_attn.k_proj',
  v_proj: 'self_attn.v_proj',
  o_proj: 'self_attn.o_proj',
  gate_proj: 'mlp.gate_proj',
  up_proj: 'mlp.up_proj',
  down_proj: 'mlp.down_proj',
};

/** [out, in] of a block's linear layer. */
export function linearShape(config: ModelConfig, target: LoraTarget): [number, number] {
  const queries = config.heads * config.headDim;
  const keys = config.kvHeads * config.headDim;
  switch (target) {
    case 'q_proj':
      return [queries, config.hidden];
    case 'k_proj':
    case 'v_proj':
      return [keys, config.hidden];
    case 'o_proj':
      return [config.hidden, queries];
    case 'gate_proj':
    case 'up_proj':
      return [config.ffn, config.hidden];
    case 'down_proj':
      return [config.hidden, config.ffn];
    default:
      return target satisfies never;
  }
}

/** Every tensor that a model of this shape needs: name -> shape (linear layers are [out, in]). */
export function expectedTensors(config: ModelConfig): Map<string, number[]> {
  const shapes = new Map<string, number[]>();
  shapes.set('model.embed_tokens.weight', [config.vocab, config.hidden]);
  for (let layer = 0; layer < config.layers; layer++) {
    const block = `model.layers.${layer}.`;
    shapes.set(`${block}input_layernorm.weight`, [config.hidden]);
    for (const target of LORA_TARGETS) {
      const shape = linearShape(config, target);
      shapes.set(`${block}${LINEAR_PATH[target]}.weight`, shape);
      if (config.qkvBias && /^[qkv]_/.test(target)) shapes.set(`${block}${LINEAR_PATH[target]}.bias`, [shape[0]]);
    }
    if (config.qkNorm) {
      shapes.set(`${block}self_attn.q_norm.weight`, [config.headDim]);
      shapes.set(`${block}self_attn.k_norm.weight`, [config.headDim]);
    }
    shapes.set(`${block}post_attention_layernorm.weight`, [config.hidden]);
  }
  shapes.set('model.norm.weight', [config.hidden]);
  if (!config.tied) shapes.set('lm_head.weight', [config.vocab, config.hidden]);
  return shapes;
}

/** That a named tensor has this shape and the bytes for it. Errors: model/tensor. */
export function checkShape(name: string, found: readonly number[], expected: readonly number[]): void {
  if (found.length === expected.length && found.every((size, i) => size === expected[i])) return;
  const message = `tensor ${name} has the shape [${found.join(', ')}], not [${expected.join(', ')}]`;
  throw new CodedError('model/tensor', message, 'Do config.json and the weight files belong together?');
}

/** The error for a tensor that is not there. */
export function missingTensor(name: string): CodedError {
  return new CodedError(
    'model/tensor',
    `tensor ${name} is missing`,
    'Is a weight file missing, or config.json another?',
  );
}

/** That the weights are those of the shape: all there, right sizes. More tensors are allowed. Errors: model/tensor. */
export function checkTensors(config: ModelConfig, tensors: ReadonlyMap<string, Tensor>): void {
  for (const [name, shape] of expectedTensors(config)) {
    const tensor = tensors.get(name);
    if (!tensor) throw missingTensor(name);
    checkShape(name, tensor.shape, shape);
    if (tensor.data.length !== byteLength(tensor.dtype, tensor.shape)) {
      throw new CodedError(
        'model/tensor',
        `tensor ${name} has ${tensor.data.length} bytes for a ${tensor.dtype} shape`,
      );
    }
  }
}
