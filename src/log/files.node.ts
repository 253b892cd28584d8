// LOG.jsonl on disk, with LOG.blobs/HASH beside it. A line is whole or not there; a blob is whole or not there.
// One process writes a log at a time (LOG.jsonl.lock). Knows nothing of what the events mean.
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, truncate, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError, type ErrorCode } from '../errors.ts';
import { hashBytes } from '../hash.ts';
import type { RunEvent } from './events.ts';
import { isGzip } from './inflate.ts';
import { readLog, serialise, type ReadOptions } from './jsonl.ts';

/** When written lines are forced to the disk: each one, or only when the log is closed. */
export type SyncPolicy = 'each' | 'close';

export const blobFolder = (path: string): string => `${path.replace(/\.jsonl(\.gz)?$/, '')}.blobs`;

/** Errors: import/…, log/missing. */
export async function readLogFile(path: string, options?: ReadOptions): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  try {
    for await (const item of readLog(createReadStream(path), options)) {
      if (item.kind === 'event') events.push(item.event);
    }
  } catch (error) {
    throw fileError(error, path);
  }
  return events;
}

/** A blob of the log at `path`, or null. Errors: log/bad-blob when its bytes are not those of its name. */
export async function readBlobFile(path: string, hash: string): Promise<Uint8Array | null> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return null;
  const file = join(blobFolder(path), hash);
  if (!existsSync(file)) return null;
  const bytes = new Uint8Array(await readFile(file));
  if (hashBytes(bytes) !== hash) {
    throw new CodedError('log/bad-blob', `${file} has other bytes than its name says`, 'delete it, or copy it again');
  }
  return bytes;
}

/** The writing end of a log on disk. */
export class LogFile {
  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private readonly sync: SyncPolicy,
  ) {}

  /** A new log. Errors: log/exists, log/locked, storage/… */
  static async create(path: string, sync: SyncPolicy = 'each'): Promise<LogFile> {
    return LogFile.open(path, 'ax', sync);
  }

  /**
   * An existing log, to go on with it. A last line that a crash cut off is dropped from the file and returned as
   * `torn`. Errors: import/… for any other fault, log/missing, log/locked.
   */
  static async resume(
    path: string,
    sync: SyncPolicy = 'each',
  ): Promise<{ log: LogFile; events: RunEvent[]; torn: { number: number; text: string } | null }> {
    if (!existsSync(path)) throw fileError(Object.assign(new Error(), { code: 'ENOENT' }), path);
    const log = await LogFile.open(path, 'a', sync);
    try {
      await refusePacked(path);
      const found: { number: number; text: string }[] = [];
      const events = await readLogFile(path, { onTorn: (line) => found.push(line) });
      const torn = found[0] ?? null;
      const end = await lastLineStart(path);
      if (torn) await truncate(path, end);
      else if (end < (await stat(path)).size) await log.file.appendFile('\n');
      return { log, events, torn };
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  private static async open(path: string, flags: string, sync: SyncPolicy): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true });
    await lock(path);
    try {
      return new LogFile(path, await open(path, flags), sync);
    } catch (error) {
      await rm(lockPath(path), { force: true });
      throw fileError(error, path);
    }
  }

  /** Blobs first, then the line: a line never names a blob that is not there. Errors: storage/quota, storage/write. */
  async append(event: RunEvent, blobs: Readonly<Record<string, Uint8Array>> = {}): Promise<void> {
    try {
      for (const [hash, bytes] of Object.entries(blobs)) await this.putBlob(hash, bytes);
      await this.file.appendFile(`${serialise(event)}\n`);
      if (this.sync === 'each') await this.file.datasync();
    } catch (error) {
      throw fileError(error, this.path);
    }
  }

  blob(hash: string): Promise<Uint8Array | null> {
    return readBlobFile(this.path, hash);
  }

  async close(): Promise<void> {
    await this.file.sync();
    await this.file.close();
    await rm(lockPath(this.path), { force: true });
  }

  private async putBlob(hash: string, bytes: Uint8Array) {
    if (hashBytes(bytes) !== hash) throw new CodedError('log/bad-blob', `blob ${hash} has other bytes`);
    const target = join(blobFolder(this.path), hash);
    if (existsSync(target)) return;
    await mkdir(blobFolder(this.path), { recursive: true });
    const temporary = `${target}.${process.pid}.tmp`;
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  }
}

const lockPath = (path: string) => `${path}.lock`;

async function lock(path: string) {
  try {
    await writeFile(lockPath(path), String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(error, path);
    const owner = Number(await readFile(lockPath(path), 'utf8').catch(() => ''));
    if (owner !== process.pid && !alive(owner)) {
      await rm(lockPath(path), { force: true });
      return lock(path);
    }
    throw new CodedError('log/locked', `process ${owner} writes ${path}`, `end it, or delete ${lockPath(path)}`);
  }
}

function alive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A packed log can be read, but not gone on with. */
async function refusePacked(path: string) {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    if (isGzip(buffer)) throw new CodedError('import/not-a-log', `${path} is packed`, 'unpack it first: gunzip');
  } finally {
    await file.close();
  }
}

/** Bytes up to and with the last newline. */
async function lastLineStart(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const block = Buffer.alloc(1 << 16);
    for (let end = (await file.stat()).size; end > 0;) {
      const start = Math.max(0, end - block.length);
      const { bytesRead } = await file.read(block, 0, end - start, start);
      const found = block.subarray(0, bytesRead).lastIndexOf(10);
      if (found >= 0) return start + found + 1;
      end = start;
    }
    return 0;
  } finally {
    await file.close();
  }
}

function fileError(error: unknown, path: string): unknown {
  if (error instanceof CodedError) {
    const { code, message, hint } = error;
    return message.includes(path) ? error : new CodedError(code, `${path}: ${message}`, hint);
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  const known: Record<string, [ErrorCode, string, string]> = {
    EEXIST: ['log/exists', `${path} exists`, 'choose another name, or --resume it'],
    ENOENT: ['log/missing', `no file ${path}`, 'check the path'],
    EISDIR: ['log/missing', `${path} is a folder`, 'name the LOG.jsonl in it'],
    ENOSPC: ['storage/quota', `the disk is full: ${path}`, 'free some space; all earlier lines are kept'],
    EDQUOT: ['storage/quota', `the disk quota is used up: ${path}`, 'free some space; all earlier lines are kept'],
  };
  const [mapped, text, hint] = known[code] ?? [
    'storage/write',
    `${path}: ${message}`,
    'check the folder’s permissions',
  ];
  return new CodedError(mapped, text, hint);
}
