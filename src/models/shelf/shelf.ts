// Models on this device's disk (the origin private file system): one folder each, with a label that says where its files
// came from and how much of them is here. Knows no format and no network.
import { CodedError } from '../../errors.ts';
import { hashText } from '../../hash.ts';
import { blobFile, modelFiles, type ModelFiles } from '../../engine/model/files.ts';

/** What is known of a file; `bytes` null: how long it will be is not known yet. */
export interface FileLabel {
  bytes: number | null;
  /** The host's name for this version of it. */
  etag: string | null;
  done: boolean;
}

interface Label {
  address: string;
  title: string;
  files: Record<string, FileLabel>;
  /** All files that the model needs are here. */
  complete: boolean;
}

/** A model on the shelf, whole or in part. */
export interface Shelved {
  /** What the setting `model` calls it: an address, or `local:NAME`. */
  address: string;
  title: string;
  /** On this disk. */
  bytes: number;
  complete: boolean;
}

/** The writing end of a file: only workers have it. https://fs.spec.whatwg.org/#api-filesystemsyncaccesshandle */
interface SyncAccessHandle {
  write(data: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
type Writable = FileSystemFileHandle & { createSyncAccessHandle?(): Promise<SyncAccessHandle> };

const LABEL = 'label.json';
/** Names that a file of a model may have here: no path. */
const PLAIN_NAME = /^[\w.-]{1,200}$/;

export class Shelf {
  readonly #root: FileSystemDirectoryHandle;

  constructor(root: FileSystemDirectoryHandle) {
    this.#root = root;
  }

  /** Errors: storage/unavailable. */
  static async open(): Promise<Shelf> {
    try {
      const top = await navigator.storage.getDirectory();
      return new Shelf(await top.getDirectoryHandle('models', { create: true }));
    } catch (error) {
      throw new CodedError(
        'storage/unavailable',
        'this browser gives the page no disk space for models',
        'leave private browsing, or serve the page over HTTPS or from localhost',
        String(error),
      );
    }
  }

  async list(): Promise<Shelved[]> {
    const found: Shelved[] = [];
    for await (const handle of entries(this.#root)) {
      if (handle.kind !== 'directory') continue;
      const label = await readLabel(handle as FileSystemDirectoryHandle);
      // A folder without a readable label is what a crash left behind.
      if (!label) await this.#root.removeEntry(handle.name, { recursive: true }).catch(() => undefined);
      else found.push({ ...pick(label), bytes: await bytesIn(handle as FileSystemDirectoryHandle) });
    }
    return found.sort((a, b) => a.title.localeCompare(b.title));
  }

  /** The files of a whole model; null where it is not here, or not whole. */
  async files(address: string): Promise<ModelFiles | null> {
    const folder = await this.#folder(address);
    const label = folder && (await readLabel(folder));
    if (!folder || !label?.complete) return null;
    const names = Object.keys(label.files);
    return modelFiles(
      await Promise.all(names.map(async (name) => blobFile(name, await (await folder.getFileHandle(name)).getFile()))),
    );
  }

  /** A place to put a model's files, new or begun before. */
  async slot(address: string, title: string): Promise<Slot> {
    const folder = await this.#root.getDirectoryHandle(nameOf(address), { create: true });
    const label = (await readLabel(folder)) ?? { address, title, files: {}, complete: false };
    const slot = new Slot(folder, label);
    await slot.save();
    return slot;
  }

  /** Errors: storage/busy while it is being written or read. */
  async remove(address: string): Promise<void> {
    try {
      await this.#root.removeEntry(nameOf(address), { recursive: true });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotFoundError') return;
      throw busy(address, error);
    }
  }

  async #folder(address: string): Promise<FileSystemDirectoryHandle | null> {
    return this.#root.getDirectoryHandle(nameOf(address)).catch(() => null);
  }
}

/** One model's folder while it is being filled. */
export class Slot {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #label: Label;

  constructor(folder: FileSystemDirectoryHandle, label: Label) {
    [this.#folder, this.#label] = [folder, label];
  }

  known(name: string): FileLabel | null {
    return this.#label.files[name] ?? null;
  }

  async set(name: string, file: FileLabel): Promise<void> {
    this.#label.files[name] = file;
    await this.save();
  }

  /** The file as it is now; null where there is none. */
  async read(name: string): Promise<Blob | null> {
    const handle = await this.#folder.getFileHandle(name).catch(() => null);
    return handle ? handle.getFile() : null;
  }

  /**
   * Writes from byte `at` on; what lies behind is cut off first. Errors: storage/busy (another worker writes it),
   * storage/quota, storage/unavailable.
   */
  async writer(name: string, at: number): Promise<Writer> {
    if (!PLAIN_NAME.test(name)) throw new CodedError('model/bad-file', `no file may be called ${name}`);
    const handle: Writable = await this.#folder.getFileHandle(name, { create: true });
    if (!handle.createSyncAccessHandle) {
      throw new CodedError('storage/unavailable', 'this browser cannot write large files', 'use a newer browser');
    }
    try {
      const access = await handle.createSyncAccessHandle();
      access.truncate(at);
      return new Writer(access, name, at);
    } catch (error) {
      throw busy(name, error);
    }
  }

  /** A file that is not what it should be. */
  async drop(name: string): Promise<void> {
    delete this.#label.files[name];
    await this.#folder.removeEntry(name).catch(() => undefined);
    await this.save();
  }

  /** From here on the model can be opened. */
  async complete(): Promise<void> {
    this.#label.complete = true;
    await this.save();
  }

  async save(): Promise<void> {
    const handle = await this.#folder.getFileHandle(LABEL, { create: true });
    try {
      const stream = await handle.createWritable();
      await stream.write(JSON.stringify(this.#label));
      await stream.close();
    } catch (error) {
      throw full(LABEL, error);
    }
  }
}

export class Writer {
  readonly #access: SyncAccessHandle;
  readonly #name: string;
  #at: number;

  constructor(access: SyncAccessHandle, name: string, at: number) {
    [this.#access, this.#name, this.#at] = [access, name, at];
  }

  /** Errors: storage/quota. */
  write(data: Uint8Array): void {
    try {
      const written = this.#access.write(data, { at: this.#at });
      if (written !== data.length) throw new Error(`${written} of ${data.length} bytes were written`);
    } catch (error) {
      throw full(this.#name, error);
    }
    this.#at += data.length;
  }

  close(): void {
    try {
      this.#access.flush();
    } finally {
      this.#access.close();
    }
  }
}

const nameOf = (address: string): string => hashText(address).slice(0, 32);
const pick = ({ address, title, complete }: Label) => ({ address, title, complete });

// Older type libraries know no iteration of folders.
const entries = (folder: FileSystemDirectoryHandle): AsyncIterable<FileSystemHandle> =>
  (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values();

async function bytesIn(folder: FileSystemDirectoryHandle): Promise<number> {
  let bytes = 0;
  for await (const handle of entries(folder)) {
    if (handle.kind === 'file') bytes += (await (handle as FileSystemFileHandle).getFile()).size;
  }
  return bytes;
}

async function readLabel(folder: FileSystemDirectoryHandle): Promise<Label | null> {
  try {
    const text = await (await (await folder.getFileHandle(LABEL)).getFile()).text();
    const label = JSON.parse(text) as Label;
    return typeof label.address === 'string' && typeof label.files === 'object' ? label : null;
  } catch {
    return null;
  }
}

const busy = (what: string, error: unknown): CodedError =>
  error instanceof DOMException && error.name === 'QuotaExceededError'
    ? full(what, error)
    : new CodedError(
        'storage/busy',
        `${what} is in use`,
        'wait for the other download or run, or close the other tab',
        String(error),
      );

const full = (what: string, error: unknown): CodedError =>
  new CodedError(
    'storage/quota',
    `${what} does not fit on this disk`,
    'delete a model, or free disk space',
    String(error),
  );
