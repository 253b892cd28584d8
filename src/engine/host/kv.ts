// Pages of keys and values (32 tokens, all layers), counted references, and a bounded memory of finished sequences so
// that a prompt which extends an earlier one is not computed again. Knows nothing of attention.
import { pageWords } from '../plan/forward.ts';
import { PAGE } from '../plan/shape.ts';
import type { ModelConfig } from '../types.ts';
import type { PageMemory } from './machine.ts';

interface Remembered {
  /** Content of the adapter ('' for none). */
  key: string;
  ids: Int32Array;
  pages: number[];
}

const REMEMBERED = 256;

/** Pages that a budget allows for keys and values, of which `most` bytes can be had. */
export const pageLimit = (config: ModelConfig, budget: number, most = Infinity): number => {
  const bytes = pageWords(config) * config.layers * 4;
  return Math.min(Math.max(4, Math.floor(budget / bytes)), Math.floor(most / bytes));
};

export class PagePool {
  readonly bytes: number;
  private readonly references = new Map<number, number>();
  private free: number[] = [];
  private remembered: Remembered[] = []; // least recently used first

  constructor(
    private readonly memory: PageMemory,
    config: ModelConfig,
    /** Most pages to hold, remembered ones included. */
    readonly limit: number,
  ) {
    this.bytes = pageWords(config) * config.layers * 4;
  }

  /** Pages in use, remembered ones included. */
  get held(): number {
    return this.references.size;
  }

  /** Bytes of all pages that the pool has of the memory, free ones included. */
  get heldBytes(): number {
    return (this.references.size + this.free.length) * this.bytes;
  }

  take(): number {
    while (this.free.length === 0 && this.references.size >= this.limit && this.forgetOldest());
    const page = this.free.pop() ?? this.memory.take(this.bytes);
    this.references.set(page, 1);
    return page;
  }

  share(page: number): number {
    this.references.set(page, this.references.get(page)! + 1);
    return page;
  }

  drop(page: number): void {
    const count = this.references.get(page)!;
    if (count > 1) {
      this.references.set(page, count - 1);
    } else {
      this.references.delete(page);
      this.free.push(page);
    }
  }

  /** A private copy of a page that others may read. */
  copy(page: number): number {
    const mine = this.take();
    this.memory.copy(page, mine, this.bytes);
    return mine;
  }

  /** Keeps a finished sequence's pages; takes over the caller's references. `ids`: the tokens that they hold. */
  remember(key: string, ids: ArrayLike<number>, pages: number[]): void {
    const entry = { key, ids: Int32Array.from(ids), pages };
    const covered = (old: Remembered) => old.key === key && commonPrefix(old.ids, entry.ids) === old.ids.length;
    for (const old of this.remembered.filter(covered)) this.forget(old);
    this.remembered.push(entry);
    if (this.remembered.length > REMEMBERED) this.forgetOldest();
  }

  /** The longest known beginning of `ids`: shared pages (references are the caller's), the last one a private copy. */
  recall(key: string, ids: ArrayLike<number>): { pages: number[]; tokens: number } {
    let [best, tokens]: [Remembered | null, number] = [null, 0];
    for (const entry of this.remembered) {
      if (entry.key !== key) continue;
      const common = commonPrefix(entry.ids, ids);
      if (common > tokens) [best, tokens] = [entry, common];
    }
    if (!best) return { pages: [], tokens: 0 };
    this.remembered = [...this.remembered.filter((entry) => entry !== best), best];
    return { pages: this.borrow(best.pages, tokens), tokens };
  }

  borrow(from: readonly number[], tokens: number): number[] {
    const whole = Math.floor(tokens / PAGE);
    const pages = from.slice(0, whole).map((page) => this.share(page));
    if (tokens % PAGE > 0) {
      this.share(from[whole]!); // must outlive the making of the copy
      pages.push(this.copy(from[whole]!));
      this.drop(from[whole]!);
    }
    return pages;
  }

  private forget(entry: Remembered): void {
    this.remembered = this.remembered.filter((other) => other !== entry);
    for (const page of entry.pages) this.drop(page);
  }

  private forgetOldest(): boolean {
    const oldest = this.remembered[0];
    if (oldest) this.forget(oldest);
    return oldest !== undefined;
  }

  /** Forgets all finished sequences and gives free pages back. */
  clear(): void {
    while (this.forgetOldest());
    for (const page of this.free) this.memory.give(page);
    this.free = [];
  }
}

export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a[i] === b[i]) i++;
  return i;
}
