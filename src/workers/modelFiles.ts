// A model's files over HTTP, checked: a host may answer with an error page, or with less than it promised.
// Knows nothing of what is in them.
import { CodedError } from '../errors.ts';
import { blobFile, modelFiles, type ModelFiles } from '../engine/model/files.ts';

const NEEDED = ['config.json', 'tokenizer.json', 'model.safetensors'] as const;
const OPTIONAL = ['tokenizer_config.json', 'generation_config.json'] as const;

/** The folder that a model's name means: ours, or one at an address. */
export const modelUrl = (name: string, base: string): URL =>
  name === 'nano' ? new URL('models/nano/', base) : new URL(name.endsWith('/') ? name : `${name}/`, base);

/** The tokenizer's files of a folder; null where they cannot be had. */
export async function fetchTokenizer(folder: URL): Promise<{ tokenizer: string; config: string | null } | null> {
  try {
    const [tokenizer, config] = await Promise.all(
      ['tokenizer.json', 'tokenizer_config.json'].map((name) => download(new URL(name, folder), {})),
    );
    return tokenizer ? { tokenizer: await tokenizer.text(), config: (await config?.text()) ?? null } : null;
  } catch {
    return null;
  }
}

/**
 * The files of a folder in Hugging Face layout; `folder` ends in `/`. Progress counts bytes of the weights.
 * Errors: model/missing, model/cut-off, model/offline, model/aborted.
 */
export async function fetchModel(
  folder: URL,
  options: { progress?: (loaded: number, total: number | null) => void; signal?: AbortSignal } = {},
): Promise<ModelFiles> {
  const one = async (name: string) => {
    const blob = await download(
      new URL(name, folder),
      name.endsWith('.safetensors') ? options : { ...options, progress: undefined },
    );
    return blob && blobFile(name, blob);
  };
  const must = async (name: string) => {
    const file = await one(name);
    if (!file)
      throw new CodedError('model/missing', `there is no ${new URL(name, folder).href}`, 'choose another model');
    return file;
  };
  const files = await Promise.all([...NEEDED.map(must), ...OPTIONAL.map(one)]);
  return modelFiles(files.filter((file) => file !== null));
}

/** null when the host has no such file, whether it says so or sends its start page instead. */
async function download(
  url: URL,
  options: { progress?: ((loaded: number, total: number | null) => void) | undefined; signal?: AbortSignal },
): Promise<Blob | null> {
  const { progress, signal } = options;
  try {
    const response = await fetch(url, signal ? { signal } : {});
    const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    if (response.status === 404 || (response.ok && isPage)) return null;
    if (!response.ok || !response.body) {
      throw new CodedError(
        'model/missing',
        `${url.href}: ${response.status} ${response.statusText}`,
        'try again later',
      );
    }
    // A compressed body is longer than its Content-Length.
    const declared = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
    const total = declared === null ? null : Number(declared);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let loaded = 0;
    const reader = response.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      loaded += next.value.length;
      progress?.(loaded, total);
    }
    if (total !== null && loaded !== total) {
      throw new CodedError('model/cut-off', `${url.href}: ${loaded} of ${total} bytes came`, 'try again');
    }
    return new Blob(parts);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    if (signal?.aborted) throw new CodedError('model/aborted', 'loading was stopped');
    throw new CodedError('model/offline', `${url.href} could not be read`, 'check the connection', String(error));
  }
}
