// Opens a model by what the terminal names: `nano`, or a folder. Knows no game.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '../errors.ts';
import { readText } from '../engine/model/files.ts';
import { directoryFiles } from '../engine/model/files.node.ts';
import { openEngineModel, type EngineOptions } from './engine/index.ts';
import { openEngineText } from './engine/text.ts';
import type { LanguageModel, ModelText } from './types.ts';

/** The folder that `name` means. Errors: model/not-found. */
export function modelFolder(name: string, root: string): string {
  const folder = name === 'nano' ? join(root, 'public/models/nano') : name;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CodedError('model/not-found', `no model at ${name}`, 'nano, or a folder in Hugging Face’s layout');
  }
  return folder;
}

/** The tokenizer of the model that `name` means; null where it is not here, or is none that we read. */
export async function textByName(name: string, root: string): Promise<ModelText | null> {
  try {
    const files = await directoryFiles(modelFolder(name, root));
    const read = async (file: string) => (files.has(file) ? await readText(files.get(file)!) : null);
    const tokenizer = await read('tokenizer.json');
    return tokenizer === null ? null : openEngineText(tokenizer, await read('tokenizer_config.json'));
  } catch (error) {
    if (error instanceof CodedError) return null;
    throw error;
  }
}

export async function openModelByName(
  name: string,
  root: string,
  options: Omit<EngineOptions, 'id' | 'title'> = {},
): Promise<LanguageModel> {
  const title =
    name
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? name;
  return openEngineModel(await directoryFiles(modelFolder(name, root)), { id: title, title, ...options });
}
