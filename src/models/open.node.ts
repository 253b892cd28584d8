// Opens a model by what the terminal names: `nano`, or a folder. Knows no game.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '../errors.ts';
import { directoryFiles } from '../engine/model/files.node.ts';
import { dawn } from '../engine/webgpu/dawn.node.ts';
import { openEngineModel, type EngineOptions } from './engine/index.ts';
import type { LanguageModel } from './types.ts';

/** The folder that `name` means. Errors: model/not-found. */
export function modelFolder(name: string, root: string): string {
  const folder = name === 'nano' ? join(root, 'public/models/nano') : name;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CodedError('model/not-found', `no model at ${name}`, 'nano, or a folder in Hugging Face’s layout');
  }
  return folder;
}

export async function openModelByName(
  name: string,
  root: string,
  options: Omit<EngineOptions, 'id' | 'title' | 'gpu'> = {},
): Promise<LanguageModel> {
  const gpu = options.engine === 'webgpu' ? { gpu: await dawn() } : {};
  const title =
    name
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? name;
  return openEngineModel(await directoryFiles(modelFolder(name, root)), {
    ...{ id: title, title },
    ...options,
    ...gpu,
  });
}
