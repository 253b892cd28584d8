// Files that a person picked, onto the shelf: a GGUF file, or the files of a folder in Hugging Face's layout.
import { CodedError } from '../../errors.ts';
import { blobFile, isGguf, LAYOUT } from '../../engine/model/files.ts';
import { check } from './download.ts';
import type { Shelf } from './shelf.ts';

export const LOCAL = 'local:';
/** Bytes that are copied at once. */
const PIECE = 8 * 2 ** 20;

const WANTED =
  /^(config|tokenizer|tokenizer_config|generation_config)\.json$|^chat_template\.jinja$|^[\w.-]+\.safetensors(\.index\.json)?$/;

/**
 * Resolves to what the setting `model` calls it. `progress` counts bytes. Errors: model/bad-file, model/missing,
 * storage/quota, storage/busy.
 */
export async function putModel(
  shelf: Shelf,
  picked: readonly File[],
  progress: (loaded: number, total: number) => void = () => undefined,
): Promise<string> {
  const { title, files } = chosen(picked);
  const address = LOCAL + title;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  // What is no model is refused before gigabytes are copied.
  for (const file of files) await check(blobFile(file.name, file));
  await shelf.remove(address);
  const slot = await shelf.slot(address, title);
  let loaded = 0;
  for (const file of files) {
    const writer = await slot.writer(file.name, 0);
    try {
      for (let at = 0; at < file.size; at += PIECE) {
        const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
        writer.write(piece);
        progress((loaded += piece.length), total);
      }
    } finally {
      writer.close();
    }
    await slot.set(file.name, { bytes: file.size, etag: null, done: true });
  }
  await slot.complete();
  return address;
}

function chosen(picked: readonly File[]): { title: string; files: File[] } {
  const gguf = picked.filter(({ name }) => isGguf(name));
  if (gguf.length > 1)
    throw new CodedError('model/bad-file', `there are ${gguf.length} GGUF files`, 'give the one that is meant');
  if (gguf[0]) return { title: gguf[0].name, files: [gguf[0]] };
  const files = picked.filter(({ name }) => WANTED.test(name));
  for (const name of LAYOUT.needed) {
    if (!files.some((file) => file.name === name)) {
      throw new CodedError(
        'model/missing',
        `there is no ${name} among the files`,
        'choose a GGUF file, or all files of the model’s folder',
      );
    }
  }
  const [folder] = (files[0]!.webkitRelativePath || '').split('/');
  return { title: folder || 'model', files };
}
