// Where a logged value and the recomputed one differ. Knows nothing of what they mean.
import { isTime, timeless } from '../log/chain.ts';

export interface Difference {
  n: number;
  field: string;
  logged: unknown;
  recomputed: unknown;
}

export type Differ = (n: number, field: string, logged: unknown, recomputed: unknown) => void;

export const same = (a: unknown, b: unknown): boolean => timeless(a ?? null) === timeless(b ?? null);

/** Paths of the leaves where two JSON values differ, with both values; times and machine facts are no difference. */
export function* unequal(logged: unknown, recomputed: unknown, path = ''): Generator<[string, unknown, unknown]> {
  if (same(logged, recomputed)) return;
  if (Array.isArray(logged) && Array.isArray(recomputed)) {
    const both = Math.min(logged.length, recomputed.length);
    for (let i = 0; i < both; i++) yield* unequal(logged[i], recomputed[i], `${path}[${i}]`);
    if (logged.length !== recomputed.length) yield [`${path}.length`, logged.length, recomputed.length];
  } else if (isObject(logged) && isObject(recomputed)) {
    for (const key of new Set([...Object.keys(logged), ...Object.keys(recomputed)])) {
      if (!isTime(key)) yield* unequal(logged[key], recomputed[key], path === '' ? key : `${path}.${key}`);
    }
  } else yield [path, logged ?? null, recomputed ?? null];
}

/** Both values as text of at most `most` characters: long ones from shortly before the place where they part. */
export function shownApart({ logged, recomputed }: Pick<Difference, 'logged' | 'recomputed'>, most: number) {
  const [one, other] = [logged, recomputed].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string];
  let part = 0;
  while (part < one.length && one[part] === other[part]) part += 1;
  const from = Math.max(one.length, other.length) > most ? Math.max(0, part - Math.floor(most / 5)) : 0;
  const show = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${text.length > from + most ? '…' : ''}`;
  return { logged: show(one), recomputed: show(other) };
}

export const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
