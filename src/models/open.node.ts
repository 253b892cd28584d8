// Opens a model by what the terminal names: `nano`, a folder, or a GGUF file. Knows no game.
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CodedError } from '../errors.ts';
import { directoryFiles, nodeFile } from '../engine/model/files.node.ts';
import { isGguf, type ModelFiles, modelFiles } from '../engine/model/files.ts';
import { readTexts } from '../engine/model/open.ts';
import { dawn } from '../engine/webgpu/dawn.node.ts';
import { tuningInFile } from '../engine/webgpu/tuning.node.ts';
import { openEngineModel, type EngineOptions } from './engine/index.ts';
import { checkManifest } from './manifest.ts';
import { isWebllm } from './webllm/name.ts';
import { openEngineText } from './engine/text.ts';
import type { LanguageModel, ModelText } from './types.ts';

/** The files that `name` means. Errors: model/not-found, model/page-only; model/damaged for nano. */
export async function modelFilesByName(name: string, root: string): Promise<ModelFiles> {
  if (isWebllm(name)) {
    throw new CodedError(
      'model/page-only',
      `${name} runs on the page only`,
      'WebLLM needs a browser’s WebGPU: npm start',
    );
  }
  const path = name === 'nano' ? join(root, 'public/models/nano') : name;
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) {
      const files = await directoryFiles(path);
      if (name === 'nano') await checkManifest(files);
      return files;
    }
    if (isGguf(path)) return modelFiles([await nodeFile(path, basename(path))]);
  }
  throw new CodedError(
    'model/not-found',
    `no model at ${name}`,
    'nano, a folder in Hugging Face’s layout, or a GGUF file',
  );
}

/** The tokenizer of the model that `name` means; null where it is not here, or is none that we read. */
export async function textByName(name: string, root: string): Promise<ModelText | null> {
  try {
    const { tokenizer, ...texts } = await readTexts(await modelFilesByName(name, root));
    return tokenizer === null ? null : openEngineText({ tokenizer, ...texts });
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

export async function openModelByName(
  name: string,
  root: string,
  options: Omit<EngineOptions, 'id' | 'title' | 'gpu'> = {},
): Promise<LanguageModel> {
  const gpu =
    options.engine === 'webgpu'
      ? { gpu: await dawn(), tuning: tuningInFile(join(root, 'node_modules/.cache/s3-kernels.json')) }
      : {};
  const title =
    name
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? name;
  return openEngineModel(await modelFilesByName(name, root), { id: title, title, ...options, ...gpu });
}
