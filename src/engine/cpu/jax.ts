// The same model and LoRA loss in jax-js, an independent implementation with automatic differentiation: the judge of our
// gradients and the peer of our speed. Only tests and benchmarks import it. Sequences of equal length, all rows weighted.
// jax-js counts references: every use of an array but its last is `.ref`.
import { defaultDevice, init, jit, nn, numpy as np, valueAndGrad } from '@jax-js/jax';
import { toF32 } from '../model/convert.ts';
import { LINEAR_PATH } from '../model/tensors.ts';
import { ropeTable } from '../plan/rope.ts';
import type { Adapter, LoraTarget, ModelConfig, ModelWeights, TrainBatch } from '../types.ts';

type Tree = Record<string, np.Array>;

export interface JaxLora {
  /** Loss and gradients by PEFT's names, for the adapter values given. */
  lossAndGradients(values: Map<string, { shape: number[]; data: Float32Array }>): Promise<{
    loss: number;
    gradients: Map<string, Float32Array>;
  }>;
}

export async function jaxLora(
  weights: ModelWeights,
  adapter: Adapter,
  batch: TrainBatch,
  backend: 'wasm' | 'webgpu' = 'wasm',
): Promise<JaxLora> {
  const ready = await init(backend);
  if (!ready.includes(backend)) throw new Error(`jax-js has no ${backend} here`);
  defaultDevice(backend);
  const { config } = weights;
  const base: Tree = {};
  for (const [name, tensor] of weights.tensors) base[name] = np.array(toF32(tensor)).reshape(tensor.shape);
  const [B, T] = [batch.sequences.length, batch.sequences[0]!.length];
  const ids = np.array(Int32Array.from(batch.sequences.flatMap((s) => Array.from(s)))).reshape([B, T]);
  const chosen = new Float32Array(B * T * config.vocab);
  const total =
    batch.normalizer ??
    batch.weights.reduce(
      (sum, w) =>
        sum +
        Array.from(w)
          .slice(1)
          .reduce((a, b) => a + b),
      0,
    );
  batch.sequences.forEach((s, b) => {
    for (let t = 1; t < T; t++) chosen[(b * T + t - 1) * config.vocab + s[t]!] = batch.weights[b]![t]! / total;
  });
  const targets = np.array(chosen).reshape([B, T, config.vocab]);
  const half = config.headDim / 2;
  const table = ropeTable(config, T);
  const part = (from: number) => {
    const values = Float32Array.from(
      { length: T * half },
      (_, i) => table[Math.floor(i / half) * 2 * half + from + (i % half)]!,
    );
    return np.array(values).reshape([1, T, 1, half]);
  };
  const later = Float32Array.from({ length: T * T }, (_, i) => (i % T > Math.floor(i / T) ? -1e9 : 0));
  const causal = np.array(later).reshape([T, T]);
  const rest: Tree = { ids, targets, causal, cos: part(0), sin: part(half) };
  const scale = adapter.config.alpha / adapter.config.rank;
  const step = jit(valueAndGrad((lora: Tree, base: Tree, rest: Tree) => loss(config, scale, lora, base, rest)));
  return {
    async lossAndGradients(values) {
      const lora: Tree = {};
      for (const [name, { shape, data }] of values) lora[name] = np.array(data.slice()).reshape(shape);
      const [value, grads] = step(lora, refs(base), refs(rest)) as unknown as [np.Array, Tree];
      const gradients = new Map<string, Float32Array>();
      for (const [name, array] of Object.entries(grads)) gradients.set(name, (await array.data()) as Float32Array);
      return { loss: (await value.data())[0]!, gradients };
    },
  };
}

const refs = (tree: Tree): Tree => Object.fromEntries(Object.entries(tree).map(([name, array]) => [name, array.ref]));

function loss(config: ModelConfig, scale: number, lora: Tree, base: Tree, rest: Tree): np.Array {
  const { hidden, heads, kvHeads, headDim, layers, normEps } = config;
  const [B, T] = rest.ids!.shape as [number, number];
  const norm = (x: np.Array, name: string): np.Array => {
    const square = np.square(x.ref).mean(-1, { keepdims: true });
    return x.div(np.sqrt(square.add(normEps))).mul(base[name]!);
  };
  const linear = (x: np.Array, layer: number, target: LoraTarget): np.Array => {
    const name = `model.layers.${layer}.${LINEAR_PATH[target]}`;
    const [a, b] = [lora[`base_model.model.${name}.lora_A.weight`], lora[`base_model.model.${name}.lora_B.weight`]];
    if (!a || !b) return np.matmul(x, np.transpose(base[`${name}.weight`]!));
    const y = np.matmul(x.ref, np.transpose(base[`${name}.weight`]!));
    return y.add(np.matmul(np.matmul(x, np.transpose(a)), np.transpose(b)).mul(scale));
  };
  const rope = (x: np.Array): np.Array => {
    const half = headDim / 2;
    const a = x.ref.slice([], [], [], [0, half]);
    const b = x.slice([], [], [], [half, headDim]);
    const first = a.ref.mul(rest.cos!.ref).sub(b.ref.mul(rest.sin!.ref));
    return np.concatenate([first, b.mul(rest.cos!.ref).add(a.mul(rest.sin!.ref))], -1);
  };
  // nn.dotProductAttention needs iterator helpers, which Node 20 has not.
  const attention = (q: np.Array, k: np.Array, v: np.Array): np.Array => {
    const group = heads / kvHeads;
    const qs = np.transpose(q.reshape([B, T, kvHeads, group, headDim]), [0, 2, 3, 1, 4]);
    const ks = np.transpose(k, [0, 2, 3, 1]).reshape([B, kvHeads, 1, headDim, T]);
    const vs = np.transpose(v, [0, 2, 1, 3]).reshape([B, kvHeads, 1, T, headDim]);
    const scores = np
      .matmul(qs, ks)
      .mul(1 / Math.sqrt(headDim))
      .add(rest.causal!.ref);
    return np.transpose(np.matmul(nn.softmax(scores, -1), vs), [0, 3, 1, 2, 4]);
  };
  const embedding = base['model.embed_tokens.weight']!;
  let x = np.take(config.tied ? embedding.ref : embedding, rest.ids!, 0).reshape([B, T, hidden]);
  for (let layer = 0; layer < layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const h1 = norm(x.ref, `${prefix}.input_layernorm.weight`);
    const q = rope(linear(h1.ref, layer, 'q_proj').reshape([B, T, heads, headDim]));
    const k = rope(linear(h1.ref, layer, 'k_proj').reshape([B, T, kvHeads, headDim]));
    const v = linear(h1, layer, 'v_proj').reshape([B, T, kvHeads, headDim]);
    x = x.add(linear(attention(q, k, v).reshape([B, T, heads * headDim]), layer, 'o_proj'));
    const h2 = norm(x.ref, `${prefix}.post_attention_layernorm.weight`);
    const act = nn.silu(linear(h2.ref, layer, 'gate_proj')).mul(linear(h2, layer, 'up_proj'));
    x = x.add(linear(act, layer, 'down_proj'));
  }
  rest.causal!.dispose();
  rest.cos!.dispose();
  rest.sin!.dispose();
  const head = config.tied ? embedding : base['lm_head.weight']!;
  const logits = np.matmul(norm(x, 'model.norm.weight'), np.transpose(head));
  return nn.logSoftmax(logits).mul(rest.targets!).sum().neg();
}
