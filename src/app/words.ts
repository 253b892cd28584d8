// Small wording: lists, counts, times. Numbers with a true minus and fixed digits, so that columns stand still.
import type { Keeping } from '../log/keeping.ts';

/** `history, summary and training` */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export const counted = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** A number for people: at most `digits` decimals, true minus. */
export function number(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = Number.isInteger(value) ? String(Math.abs(value)) : Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

export const signed = (value: number | null | undefined, digits = 2) =>
  value !== null && value !== undefined && value > 0 ? `+${number(value, digits)}` : number(value, digits);

export const percent = (share: number | null | undefined) =>
  share === null || share === undefined || !Number.isFinite(share) ? '–' : `${Math.round(share * 100)}\u00a0%`;

/** `41 s`, `3 min`, `1 h 20 min` */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(0)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

/** What the browser promises of what is stored; '' where it has not been asked. */
export function keptWords(keeping: Pick<Keeping, 'persistent' | 'room'> | null): string {
  if (!keeping) return '';
  const promise = keeping.persistent
    ? 'The browser keeps them until you delete them.'
    : 'The browser may clear them when it runs short of space.';
  return keeping.room === null ? promise : `${promise} Room for ${size(keeping.room)} in all.`;
}

export const short = (hash: string | null | undefined) => (hash ? `${hash.slice(0, 8)}…` : '–');
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
