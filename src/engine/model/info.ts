// What a model is, in a few numbers, and its hash. Knows nothing of files.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ModelConfig, ModelWeights } from '../types.ts';
import { countOf } from './dtype.ts';

/** The fields of `model info --json`. */
export interface ModelInfo {
  family: ModelConfig['family'];
  /** A tied head counts once. */
  parameters: number;
  layers: number;
  hidden: number;
  heads: number;
  kvHeads: number;
  vocab: number;
  context: number;
  /** Storage type -> number of tensors. */
  types: Record<string, number>;
  /** Of all weights, as stored. */
  bytes: number;
  canTrain: boolean;
  /** Why it can or cannot train, in one sentence. */
  why: string;
}

/** Bytes that a WebAssembly memory may hold: 4 GiB less what stack, kernels and fragmentation take. */
const WASM_LIMIT = 3.5 * 2 ** 30;

/**
 * About the bytes of one LoRA step at rank 8 on `tokens` tokens, besides the weights: adapter, gradient and two moments;
 * every layer's input; one layer's inner activations with their gradients; the head on a chunk of 64 tokens.
 */
function trainingBytes(config: ModelConfig, tokens: number): number {
  const { hidden, ffn, layers, heads, kvHeads, headDim, vocab } = config;
  const queries = heads * headDim;
  const keys = kvHeads * headDim;
  const adapter = 8 * layers * (2 * (hidden + queries) + 2 * (hidden + keys) + 3 * (hidden + ffn));
  const activations = tokens * (layers * hidden + 2 * (4 * hidden + 2 * queries + 2 * keys + 3 * ffn));
  return 4 * (4 * adapter + activations + 2 * 64 * vocab);
}

/** Facts for a person choosing a model; `limit` is the memory that training may take, in bytes. */
export function modelInfo(weights: ModelWeights, limit = WASM_LIMIT): ModelInfo {
  const { config, tensors } = weights;
  const types: Record<string, number> = {};
  let parameters = 0;
  let bytes = 0;
  for (const { dtype, shape, data } of tensors.values()) {
    types[dtype] = (types[dtype] ?? 0) + 1;
    parameters += countOf(shape);
    bytes += data.length;
  }
  const tokens = Math.min(config.context, 1024);
  const needed = bytes + trainingBytes(config, tokens);
  const canTrain = needed <= limit;
  const size = `a LoRA step of rank 8 on ${tokens} tokens takes about ${Math.ceil(needed / 2 ** 20)} MiB`;
  const why = canTrain ? size : `${size}, more than the ${Math.floor(limit / 2 ** 20)} MiB there are`;
  const { family, layers, hidden, heads, kvHeads, vocab, context } = config;
  return { family, parameters, layers, hidden, heads, kvHeads, vocab, context, types, bytes, canTrain, why };
}

/** A config as text with its keys in order: equal configs, equal text. */
function canonical(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

function combine(weights: ModelWeights, digests: ReadonlyMap<string, string>): string {
  const lines = [...weights.tensors].map(
    ([name, { dtype, shape }]) => `${name} ${dtype} [${shape}] ${digests.get(name)}`,
  );
  return hex(['s3-model-1', canonical(weights.config), ...lines.sort()].join('\n'));
}

/**
 * SHA-256, in hex, of the config and a line for each tensor, the lines sorted: name, type, shape, SHA-256 of its bytes. The
 * file's own layout (shards, order, metadata) does not matter. In plain JavaScript: 40 to 150 MB a second. Tests hold the
 * platform's against it.
 */
export function modelHash(weights: ModelWeights): string {
  return combine(weights, new Map([...weights.tensors].map(([name, { data }]) => [name, bytesToHex(sha256(data))])));
}

/** The same hash by the platform's SHA-256 where there is one (not on plain HTTP), about ten times as fast. */
export async function modelHashNative(weights: ModelWeights): Promise<string> {
  const digests = new Map<string, string>();
  for (const [name, { data }] of weights.tensors) {
    // A view of shared memory is refused there, hence the plain way for it.
    const native = globalThis.crypto?.subtle && data.buffer instanceof ArrayBuffer;
    const digest = native
      ? new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(data.buffer, data.byteOffset, data.length)))
      : sha256(data);
    digests.set(name, bytesToHex(digest));
  }
  return combine(weights, digests);
}
