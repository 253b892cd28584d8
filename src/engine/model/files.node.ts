// A folder on disk as model files. Node only; the only file of this folder that knows a disk.
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../../errors.ts';
import { modelFiles } from './files.ts';
import type { FileSource, ModelFiles } from './files.ts';

/** One file on disk, opened anew for each read so that nothing has to be closed. */
export async function nodeFile(path: string, name: string): Promise<FileSource> {
  const { size } = await stat(path);
  return {
    name,
    size,
    async read(offset, length) {
      const handle = await open(path, 'r');
      try {
        const data = new Uint8Array(length);
        let done = 0;
        while (done < length) {
          const { bytesRead } = await handle.read(data, done, length - done, offset + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
        return data.subarray(0, done);
      } finally {
        await handle.close();
      }
    },
  };
}

/** The files of a model's folder (its sub-folders are left out). Errors: model/not-found. */
export async function directoryFiles(directory: string): Promise<ModelFiles> {
  let names: string[];
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    // Model hubs' caches hold links to files, so links count; a dangling one fails at stat below.
    names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => entry.name);
  } catch (error) {
    throw new CodedError('model/not-found', `no folder ${directory}`, 'Give a folder with config.json.', String(error));
  }
  const files: FileSource[] = [];
  for (const name of names.sort()) {
    const path = join(directory, name);
    const info = await stat(path).catch(() => null);
    if (info?.isFile()) files.push(await nodeFile(path, name));
  }
  return modelFiles(files);
}
