// The engine's public vocabulary: what a model is, what a session can be asked. Knows nothing of games, workers, page.

/** Shape of a Llama-shaped decoder (RMSNorm, RoPE, grouped-query attention, SwiGLU). */
export interface ModelConfig {
  family: 'llama' | 'qwen2' | 'qwen3';
  vocab: number;
  hidden: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  ffn: number;
  /** Longest sequence in tokens. */
  context: number;
  normEps: number;
  ropeTheta: number;
  ropeScaling: null | RopeScaling;
  qkvBias: boolean;
  qkNorm: boolean;
  /** The output head is the embedding. */
  tied: boolean;
  bos: number | null;
  /** Any of these ends a sequence. */
  eos: number[];
}

export type RopeScaling =
  | { type: 'llama3'; factor: number; lowFreqFactor: number; highFreqFactor: number; originalContext: number }
  /** The same scaling as GGUF files state it: each pair's frequency is divided by its own number (headDim / 2 of them). */
  | { type: 'factors'; factors: number[] };

/** Storage types of a weight: Hugging Face's three, and the block types of GGUF files. */
export type DType = 'f32' | 'f16' | 'bf16' | 'q8_0' | 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q4_k' | 'q6_k';

export interface Tensor {
  dtype: DType;
  /** Row-major, as in the file: a linear layer is [out, in]. */
  shape: number[];
  /** The file's own bytes, little-endian. */
  data: Uint8Array;
}

/** A model in memory, under Hugging Face's tensor names, whatever file it came from. */
export interface ModelWeights {
  config: ModelConfig;
  tensors: Map<string, Tensor>;
}

/** The seven linear layers of a block that can carry a LoRA pair, in the order that every flat buffer uses. */
export const LORA_TARGETS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;
export type LoraTarget = (typeof LORA_TARGETS)[number];

export interface LoraConfig {
  rank: number;
  alpha: number;
  targets: readonly LoraTarget[];
}

/** A LoRA adapter as a value: one flat f32 buffer and the place of each tensor in it. */
export interface Adapter {
  config: LoraConfig;
  layout: readonly AdapterSlot[];
  data: Float32Array;
}

export interface AdapterSlot {
  /** PEFT's name: base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight */
  name: string;
  /** lora_A is [rank, in], lora_B is [out, rank]. */
  shape: [number, number];
  offset: number;
}

export interface Sampling {
  /** 0 is greedy. */
  temperature: number;
  topK?: number;
  topP?: number;
  /** A sequence's tokens depend on this seed and its own ids alone, never on its batch mates or thread count. */
  seed: number;
  maxTokens: number;
  /** Generation ends after a token whose text completes one of these; the text keeps it, callers trim. */
  stop?: string[];
  /** Once the generated text contains this, the rest is greedy (the self-score's number). */
  greedyAfter?: string;
}

export interface GenerateRequest {
  ids: ArrayLike<number>;
  sampling: Sampling;
  adapter?: Adapter | null;
  /** Text of one token id; needed when `stop` or `greedyAfter` is set. */
  tokenText?: (id: number) => string;
  /** Called before each token: a 0/1 mask over the vocabulary, or null for none. */
  mask?: (generated: readonly number[]) => Uint8Array | null;
}

export interface Generation {
  ids: number[];
  /** Log-probability of each generated token under the untempered, unmasked distribution. */
  logprobs: number[];
  /** Share of probability (at the sampling temperature) that the mask removed, per token; 0 without a mask. */
  maskedMass: number[];
  finish: 'stop' | 'length' | 'context' | 'aborted';
  /** Prompt tokens whose keys and values were already in the cache. */
  cachedTokens: number;
}

/** loss = -(sum_t w_t log p(token_t | before)) / normalizer. A weight belongs to the token that it predicts. */
export interface TrainBatch {
  sequences: ArrayLike<number>[];
  /** One per token of each sequence; the first token's weight is ignored (nothing predicts it). */
  weights: ArrayLike<number>[];
  /** Default: sum of the weights. Must be given when weights may cancel (codes: training/no-normalizer). */
  normalizer?: number;
}

export interface AdamW {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** Largest global gradient norm; 0 = no clipping. */
  clip: number;
}

export interface StepResult {
  loss: number;
  /** Before clipping. */
  gradNorm: number;
  /** Tokens that went through the model. */
  tokens: number;
}

/** Optimiser moments and step count, to save and resume byte for byte. */
export interface OptimizerState {
  step: number;
  m: Float32Array;
  v: Float32Array;
}

export interface Trainer {
  /** Adds the batch's gradient without stepping (gradient accumulation). Resolves to the batch's own loss. */
  accumulate(batch: TrainBatch): Promise<number>;
  /** Accumulates the batch, then one AdamW step; `lr` overrides the optimiser's for this step. */
  step(batch: TrainBatch, lr?: number): Promise<StepResult>;
  /** The gradient now in the buffer, by tensor name (PEFT's names, or Hugging Face's when all weights train). */
  gradients(): Promise<Map<string, { shape: number[]; data: Float32Array }>>;
  /** A copy of the adapter as it is now. Only for LoRA trainers. */
  adapter(): Promise<Adapter>;
  /** A copy of all weights as they are now (f32). Only for trainers of all weights. */
  weights(): Promise<ModelWeights>;
  optimizer(): Promise<OptimizerState>;
  restore(state: OptimizerState): void;
  dispose(): void;
}

export interface TokenScores {
  /** log p(ids[t] | before) for t = 1..T-1. */
  logprobs: Float32Array;
  /** log-sum-exp of the logits at each of the T positions. */
  logsumexp: Float32Array;
  /** All logits at the last position, when asked for. */
  last?: Float32Array;
}

/** What a LoRA step takes, and what it computes again to stay within the session's memory budget. */
export interface TrainingMemory {
  /** Of activations, their gradients, adapter, gradient and moments. */
  bytes: number;
  layers: number;
  /** Layers whose norms and activation function are made anew: next to no time. */
  refreshed: number;
  /** Layers whose products are computed again: about a quarter of a layer's time each. */
  recomputed: number;
}

/** All that the rest of the project may call. One per loaded model; not re-entrant: calls are queued. */
export interface Session {
  readonly config: ModelConfig;
  readonly engine: 'cpu' | 'webgpu';
  readonly threads: number;
  /** Products and sums of the linear layers are rounded once: last bits are those of machines that can (CPU only). */
  readonly fused?: boolean;
  /** Which kernels were chosen for this GPU, in words (WebGPU only): last bits may differ between them. */
  readonly kernels?: string;
  /** Many sequences at once. A prompt's longest cached prefix is not computed again. Errors: model/context. */
  generate(
    requests: GenerateRequest[],
    options?: { signal?: AbortSignal; onToken?: (index: number, id: number) => void },
  ): Promise<Generation[]>;
  score(sequences: ArrayLike<number>[], options?: { adapter?: Adapter | null; last?: boolean }): Promise<TokenScores[]>;
  trainAdapter(adapter: Adapter, optimizer: AdamW): Trainer;
  /** Of one step on one sequence of so many tokens, a quarter of which carry weight. Known before anything runs. */
  trainingMemory(tokens: number, lora: LoraConfig): TrainingMemory;
  /** All weights train (pretraining). The session's base weights are the ones that change. */
  trainAll(optimizer: AdamW): Trainer;
  /** 64-bit FNV-1a, 16 hex digits, over the words of all base weights in tensor-name order: tells whether one has moved. */
  baseHash(): Promise<string>;
  /** Tensor bytes now held, and the most held so far. */
  memory(): { bytes: number; peak: number };
  close(): Promise<void>;
}
