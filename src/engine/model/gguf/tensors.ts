// Hugging Face's tensor names <-> GGUF's, and the order of rows in which the two differ. Knows no file.
// Source: gguf-py's tensor_mapping.py, and `permute` of llama.cpp's convert_hf_to_gguf.py.
import type { ModelConfig, Tensor } from '../../types.ts';

const TOP: Readonly<Record<string, string>> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
};

const IN_BLOCK: Readonly<Record<string, string>> = {
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

/** GGUF's name of one of `expectedTensors`. */
export function ggufName(name: string): string {
  const [, module, kind] = /^(.*)\.(weight|bias)$/.exec(name)!;
  const [, block, inner] = /^model\.layers\.(\d+)\.(.*)$/.exec(module!) ?? [];
  return inner === undefined ? `${TOP[module!]!}.${kind!}` : `blk.${block!}.${IN_BLOCK[inner]!}.${kind!}`;
}

/**
 * The tensor with its rows as Hugging Face's files have them. In files of the llama architecture the q and k rows of each
 * head are interleaved, so that a rotary pair's two rows are neighbours; there the pair is row i and row i + headDim / 2.
 */
export function inRowOrder(tensor: Tensor, name: string, config: ModelConfig): Tensor {
  if (config.family !== 'llama' || !/\.self_attn\.[qk]_proj\.weight$/.test(name)) return tensor;
  const { headDim } = config;
  const half = headDim / 2;
  const rows = tensor.shape[0]!;
  const width = tensor.data.length / rows;
  const data = new Uint8Array(tensor.data.length);
  for (let row = 0; row < rows; row++) {
    const inHead = row % headDim;
    const from = row - inHead + 2 * (inHead % half) + Math.floor(inHead / half);
    data.set(tensor.data.subarray(from * width, (from + 1) * width), row * width);
  }
  return { ...tensor, data };
}
