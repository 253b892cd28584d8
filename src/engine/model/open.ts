// A model's files -> a checked model in memory and the texts that its tokenizer needs: Hugging Face's layout, or one
// GGUF file. Knows nothing of disks, downloads or tokenizers.
import { CodedError } from '../../errors.ts';
import type { ModelConfig, ModelWeights, Tensor } from '../types.ts';
import { parseConfig } from './config.ts';
import { firstNonFinite } from './convert.ts';
import { isGguf, LAYOUT, readText } from './files.ts';
import type { FileSource, ModelFiles } from './files.ts';
import { openGguf, readGgufTexts } from './gguf/open.ts';
import { parseShardIndex, readHeader, readTensor } from './safetensors.ts';
import type { SafetensorsHeader } from './safetensors.ts';
import { checkShape, checkTensors, expectedTensors, missingTensor } from './tensors.ts';

/** The texts beside the weights, unparsed; null where the file is not there. */
export interface ModelTexts {
  tokenizer: string | null;
  tokenizerConfig: string | null;
  generationConfig: string | null;
  /** chat_template.jinja; older models keep the template in tokenizer_config.json. */
  chatTemplate: string | null;
}

export interface OpenedModel {
  weights: ModelWeights;
  texts: ModelTexts;
}

export interface OpenOptions {
  /** Refuse NaN and infinite weights (model/not-finite). Costs a pass over all bytes. */
  finite?: boolean;
  signal?: AbortSignal;
  onProgress?: (bytesRead: number, bytesOfAll: number) => void;
}

/** A folder may hold both; Hugging Face's files then go first. */
function formatOf(files: ModelFiles): { kind: 'huggingface' } | { kind: 'gguf'; source: FileSource } {
  if (files.has('config.json')) return { kind: 'huggingface' };
  const found = [...files.values()].filter(({ name }) => isGguf(name));
  if (found.length > 1) {
    throw new CodedError('model/bad-file', `there are ${found.length} GGUF files`, 'Give the one that is meant.');
  }
  if (found[0]) return { kind: 'gguf', source: found[0] };
  throw new CodedError(
    'model/bad-file',
    'there is no config.json',
    'Give a folder in Hugging Face layout or a GGUF file.',
  );
}

/**
 * A model from its files: every tensor that its shape needs, with the right shape; of Hugging Face's files others are not
 * read. Errors: model/unsupported, model/bad-file, model/tensor (names the tensor), model/not-finite, model/read,
 * model/aborted.
 */
export async function openModel(files: ModelFiles, options: OpenOptions = {}): Promise<OpenedModel> {
  const format = formatOf(files);
  const opened =
    format.kind === 'gguf' ? await openGguf(format.source, options) : await openHuggingFace(files, options);
  const { config, tensors } = opened.weights;
  checkTensors(config, tensors);
  if (options.finite) checkFinite(tensors);
  return opened;
}

/** The texts alone: no weight is read. Errors: model/bad-file, model/unsupported, model/read. */
export async function readTexts(files: ModelFiles): Promise<ModelTexts> {
  const format = formatOf(files);
  return format.kind === 'gguf' ? readGgufTexts(format.source) : huggingFaceTexts(files);
}

const textIn = async (files: ModelFiles, name: string): Promise<string | null> => {
  const file = files.get(name);
  return file ? readText(file) : null;
};

const huggingFaceTexts = async (files: ModelFiles): Promise<ModelTexts> => ({
  tokenizer: await textIn(files, 'tokenizer.json'),
  tokenizerConfig: await textIn(files, 'tokenizer_config.json'),
  generationConfig: await textIn(files, 'generation_config.json'),
  chatTemplate: await textIn(files, 'chat_template.jinja'),
});

async function openHuggingFace(files: ModelFiles, options: OpenOptions): Promise<OpenedModel> {
  const texts = await huggingFaceTexts(files);
  const config = parseConfig((await textIn(files, 'config.json')) ?? '', texts.generationConfig);
  const tensors = await readWeights(files, config, options);
  return { weights: { config, tensors }, texts };
}

async function readWeights(files: ModelFiles, config: ModelConfig, options: OpenOptions): Promise<Map<string, Tensor>> {
  const fileOf = await weightFiles(files);
  const headers = new Map<FileSource, SafetensorsHeader>();
  // All headers before any weight: a wrong file is refused before gigabytes are read.
  const plan: { name: string; source: FileSource; begin: number; end: number }[] = [];
  for (const [name, shape] of expectedTensors(config)) {
    const source = fileOf(name);
    if (!source) throw missingTensor(name);
    const header = headers.get(source) ?? (await readHeader(source));
    headers.set(source, header);
    const entry = header.tensors.get(name);
    if (!entry) throw missingTensor(name);
    checkShape(name, entry.shape, shape);
    plan.push({ name, source, begin: entry.begin, end: entry.end });
  }
  const all = plan.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const tensors = new Map<string, Tensor>();
  let done = 0;
  for (const { name, source, begin, end } of plan) {
    if (options.signal?.aborted) throw new CodedError('model/aborted', 'loading was stopped');
    const entry = headers.get(source)?.tensors.get(name);
    if (!entry) throw missingTensor(name);
    tensors.set(name, await readTensor(source, name, entry));
    options.onProgress?.((done += end - begin), all);
  }
  return tensors;
}

/** Which file holds a tensor: the shard that the index names, or the only file. */
async function weightFiles(files: ModelFiles): Promise<(name: string) => FileSource | undefined> {
  const index = files.get(LAYOUT.index);
  if (index) {
    const shards = parseShardIndex(await readText(index));
    return (name) => {
      const file = shards.get(name);
      if (file !== undefined && !files.has(file)) {
        throw new CodedError('model/bad-file', `the shard ${file} is missing`, 'Fetch all files of the model.');
      }
      return file === undefined ? undefined : files.get(file);
    };
  }
  const single = files.get(LAYOUT.weights);
  if (!single) {
    const hint = 'Weights must be model.safetensors, or shards with model.safetensors.index.json.';
    throw new CodedError('model/bad-file', 'there is no model.safetensors', hint);
  }
  return () => single;
}

function checkFinite(tensors: ReadonlyMap<string, Tensor>): void {
  for (const [name, tensor] of tensors) {
    const index = firstNonFinite(tensor);
    if (index < 0) continue;
    const message = `tensor ${name} holds a NaN or an infinity at index ${index}`;
    throw new CodedError('model/not-finite', message, 'The weights are damaged: fetch the file again.');
  }
}
