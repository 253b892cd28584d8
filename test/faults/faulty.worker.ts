// A worker that fails in every way on request.
import { CodedError } from '../../src/errors.ts';
import { serve } from '../../src/workers/wire.ts';

const api = {
  echo: <T>(value: T): T => value,
  slow: (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve('slept'), ms)),
  hang(): never {
    for (;;);
  },
  never: () => new Promise<void>(() => undefined),
  throwCoded(): void {
    throw new CodedError('game/unknown', 'no such game', 'choose another', 'more');
  },
  throwPlain(): void {
    throw new TypeError('plain');
  },
  throwOdd(): void {
    throw { code: 7, message: () => 'odd', hint: null };
  },
  odd: () => () => 'a function cannot cross',
  crash: () =>
    new Promise<void>(() =>
      setTimeout(() => {
        throw new Error('uncaught');
      }),
    ),
  reject: () => new Promise<void>(() => void Promise.reject(new CodedError('gpu/lost', 'rejected unseen'))),
  close: () => new Promise<void>(() => self.close()),
  count: () => ++count,
  report: async (onProgress: (done: number) => Promise<void>, upTo: number) => {
    for (let i = 1; i <= upTo; i++) await onProgress(i);
    return upTo;
  },
};
let count = 0;
export type FaultyApi = typeof api;

serve(api);
