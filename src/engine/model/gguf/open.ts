// A GGUF file -> a model under Hugging Face's names, its weights in the file's own types, and the texts that its
// tokenizer needs. Knows nothing of disks, downloads or tokenizers.
import { CodedError } from '../../../errors.ts';
import type { Tensor } from '../../types.ts';
import { unsupported } from '../config.ts';
import { toF32 } from '../convert.ts';
import type { FileSource } from '../files.ts';
import type { ModelTexts, OpenedModel, OpenOptions } from '../open.ts';
import { checkShape, expectedTensors, missingTensor } from '../tensors.ts';
import { ggufConfig } from './config.ts';
import { type GgufHeader, type GgufTensor, readGgufHeader, readGgufTensor } from './header.ts';
import { ggufName, inRowOrder } from './tensors.ts';
import { tokenizerTexts } from './tokenizer.ts';

const ROPE_FACTORS = 'rope_freqs.weight';

/**
 * Every tensor is checked by the directory before any is read. Errors: model/unsupported (also a tensor that the engine
 * would leave out), model/bad-file, model/tensor, model/read, model/aborted.
 */
export async function openGguf(source: FileSource, options: OpenOptions): Promise<OpenedModel> {
  const header = await readGgufHeader(source);
  const embedding = header.tensors.get('token_embd.weight');
  if (!embedding) throw missingTensor('token_embd.weight');
  const config = ggufConfig(header.metadata, {
    vocab: embedding.shape[0]!,
    tied: !header.tensors.has('output.weight'),
    ropeFactors: await readFactors(source, header),
  });
  const texts = tokenizerTexts(header.metadata, config.vocab);
  const plan: { name: string; entry: GgufTensor }[] = [];
  const known = new Set([ROPE_FACTORS]);
  for (const [name, shape] of expectedTensors(config)) {
    const theirs = ggufName(name);
    const entry = header.tensors.get(theirs);
    if (!entry) throw missingTensor(theirs);
    checkShape(theirs, entry.shape, shape);
    known.add(theirs);
    plan.push({ name, entry });
  }
  // A bias or an expert left out in silence would be another model.
  const stranger = [...header.tensors.keys()].find((name) => !known.has(name));
  if (stranger !== undefined)
    unsupported(`${source.name}: the tensor ${stranger}, which this architecture does not have`);

  const all = plan.reduce((sum, { entry }) => sum + (entry.end ?? entry.begin) - entry.begin, 0);
  const tensors = new Map<string, Tensor>();
  let done = 0;
  for (const { name, entry } of plan) {
    if (options.signal?.aborted) throw new CodedError('model/aborted', 'loading was stopped');
    const tensor = await readGgufTensor(source, ggufName(name), entry);
    tensors.set(name, inRowOrder(tensor, name, config));
    options.onProgress?.((done += tensor.data.length), all);
  }
  return { weights: { config, tensors }, texts };
}

/** The tokenizer's texts from the metadata. Errors: model/unsupported, model/bad-file, model/tensor, model/read. */
export async function readGgufTexts(source: FileSource): Promise<ModelTexts> {
  const { metadata, tensors } = await readGgufHeader(source);
  const embedding = tensors.get('token_embd.weight');
  if (!embedding) throw missingTensor('token_embd.weight');
  return tokenizerTexts(metadata, embedding.shape[0]!);
}

/** Llama 3's position scaling as a divisor for each rotary pair. */
async function readFactors(source: FileSource, { tensors }: GgufHeader): Promise<number[] | null> {
  const entry = tensors.get(ROPE_FACTORS);
  if (!entry) return null;
  if (entry.shape.length !== 1 || entry.shape[0]! > 4096) {
    throw new CodedError('model/bad-file', `${ROPE_FACTORS} has the shape [${entry.shape.join(', ')}]`);
  }
  return [...toF32(await readGgufTensor(source, ROPE_FACTORS, entry))];
}
