// What a new run may start from: an adapter's folder in PEFT's files, or a memory's text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartFrom } from '../gym/startFrom.ts';
import { hashBytes } from '../hash.ts';
import { requireFile } from './command.ts';

/** null when neither is given. Errors: usage/no-file. */
export async function startFrom(adapter: string | undefined, memory: string | undefined): Promise<StartFrom | null> {
  if (adapter === undefined && memory === undefined) return null;
  const from: StartFrom = {};
  if (adapter !== undefined) {
    const tensors = new Uint8Array(read(join(adapter, 'adapter_model.safetensors')));
    const config = read(join(adapter, 'adapter_config.json')).toString('utf8');
    from.adapter = { hash: hashBytes(tensors), config, tensors };
  }
  if (memory !== undefined) from.memory = read(memory).toString('utf8').trim();
  return from;
}

function read(path: string) {
  requireFile(path, 'give an adapter’s folder or a text file');
  return readFileSync(path);
}
