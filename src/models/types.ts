// What the gym asks of a language model. Every call is asynchronous and its values survive structured clone, because
// the model may live in another worker. Knows nothing of games or of what an answer means.
import type { GradientCheck } from '../engine/gradient.ts';

export type { GradientCheck };

/** A prompt in parts. An assistant part that the model wrote carries its ids, which are never made again from text. */
export type PromptPart =
  | { role: 'system'; text: string }
  /** `text` is a chat turn; `plain` is the same in a growing transcript, with its labels (`\nEnv: …\nLLM:`). */
  | { role: 'user'; text: string; plain: string }
  | { role: 'assistant'; text: string; ids?: readonly number[] };

/** A part's text in the plain layout, a growing transcript. */
export const plainOf = (part: PromptPart): string => (part.role === 'user' ? part.plain : part.text);

export const plainText = (parts: readonly PromptPart[]): string => parts.map(plainOf).join('');

export interface SamplingSettings {
  temperature: number;
  topK?: number;
  topP?: number;
  seed: number;
  maxTokens: number;
  stop?: string[];
  /** Greedy once the text contains this (the score's number). */
  greedyAfter?: string;
}

export interface CompletionRequest {
  parts: readonly PromptPart[];
  sampling: SamplingSettings;
  /** Hash of a resident adapter, or null for the base model. */
  adapter: string | null;
  /** The completion's forced beginning (oracle experience: the expert's action); the model writes the rest. */
  forced?: string;
  /** The parts' ids are the whole prompt, its beginning token included (decoding a logged step again). */
  exactIds?: boolean;
  /** Regular grammar of the whole completion, for constrained decoding; null or absent: none. */
  grammar?: string | null;
}

export interface Completion {
  /** Everything the model wrote, the forced beginning included; a trailing stop string stays. */
  text: string;
  ids: number[];
  /** Text of each id, joined it is `text`. */
  pieces: string[];
  /** How many of the ids were forced. */
  forcedIds: number;
  /** Ids that the model read. */
  promptIds: number[];
  /** Exactly the text that was read, special tokens included. */
  promptText: string;
  /** Sum of the untempered log-probabilities of the sampled ids; null where the model offers none. */
  logprob: number | null;
  maskedMass: number;
  finish: 'stop' | 'length' | 'context' | 'aborted';
  /** What the model thought before it answered; no part of the text, its tokens are among the ids. */
  thought?: string;
  /** Prompt tokens that were not computed again. */
  cachedTokens: number;
}

/** The side of a model that needs its tokenizer and no weights: enough to read what a log says of prompts and answers. */
export interface ModelText {
  /** The tokenizer's, as in the model's card. */
  readonly hash: string;
  /** Ids of a text as a piece of a prompt. */
  encode(text: string): number[];
  /** Ids of an answer's forced beginning. */
  begin(text: string): number[];
  /** The text that the model reads, and its ids. `exactIds`: as in a request. */
  prompt(parts: readonly PromptPart[], exactIds?: boolean): { text: string; ids: number[] };
  /** A completion's text and its pieces; what ends it is no text. */
  answer(ids: readonly number[]): Pick<Completion, 'text' | 'pieces'>;
  /** Text of each id. */
  pieces(ids: readonly number[]): string[];
}

export interface ModelCard {
  id: string;
  title: string;
  kind: 'engine' | 'webllm' | 'scripted';
  /** SHA-256 over configuration and weights, or the catalogue's version id where weights cannot be hashed. */
  hash: string;
  tokenizerHash: string;
  parameters: number;
  context: number;
  layout: 'plain' | 'chat';
  canTrain: boolean;
  /** `cpu`, `webgpu`, … and threads, for `host` fields and for people. */
  engine: string;
  /** Why it is computed there, in words. */
  why?: string;
  /** What a training step takes here, and what it computes again for it, in words. */
  trains?: string;
}

export interface LoraSettings {
  rank: number;
  alpha: number;
  /** Target modules, by the last part of their name. */
  targets: readonly string[];
}

export interface OptimizerSettings {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  clip: number;
}

export interface TrainingExample {
  ids: number[];
  /** One per id; belongs to the token that it predicts. */
  weights: number[];
}

export interface AdapterInfo {
  hash: string;
  /** Frobenius norm by tensor name. */
  norms: Record<string, number>;
}

/** PEFT's two files. */
export interface AdapterFiles {
  config: string;
  tensors: Uint8Array;
}

/** LoRA training of a resident model. One trainer at a time. */
export interface TrainingPort {
  fresh(lora: LoraSettings, seed: number): Promise<AdapterInfo>;
  load(files: AdapterFiles): Promise<AdapterInfo>;
  files(adapter: string): Promise<AdapterFiles>;
  /** Starts training a copy of the adapter; `optimizer` is what `finish` returned before, or null for a fresh one. */
  start(adapter: string, settings: OptimizerSettings, optimizer: Uint8Array | null): Promise<void>;
  step(
    examples: TrainingExample[],
    normalizer: number | undefined,
    lr: number,
  ): Promise<{ loss: number; gradNorm: number; tokens: number }>;
  finish(): Promise<{ adapter: AdapterInfo; optimizer: Uint8Array }>;
  /** The adapter will not be asked for again, unless it is loaded. Unknown ones are ignored. */
  release(adapter: string): Promise<void>;
  /** log p of ids[1..] under the adapter (null: base), one list per sequence. */
  score(sequences: number[][], adapter: string | null): Promise<number[][]>;
  /** Fingerprint of the base weights as they are in memory now: Session.baseHash. */
  baseHash(): Promise<string>;
  /**
   * The gradient of one tensor at an adapter, against finite differences of the loss of `example`. Between two steps of an
   * update it leaves that update as it is. Absent where no engine is behind it. Errors: training/no-tensor.
   */
  checkGradient?(
    adapter: string,
    example: TrainingExample,
    tensor: string,
    progress?: (done: number, total: number) => void,
  ): Promise<GradientCheck>;
}

export interface LanguageModel {
  readonly card: ModelCard;
  /** Many at once; results in order. Errors: model/… codes; a bad completion is a value, never an error. */
  complete(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion[]>;
  /** Tokens of each text as a piece of a prompt, for budgets. */
  countTokens(texts: readonly string[]): Promise<number[]>;
  /** Text of each id, one list per sequence. */
  pieces(sequences: readonly (readonly number[])[]): Promise<string[][]>;
  /** Absent where the model cannot be trained here. */
  readonly training?: TrainingPort;
  close(): Promise<void>;
}
