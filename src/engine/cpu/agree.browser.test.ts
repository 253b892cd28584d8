import { expect, it } from 'vitest';
import { AGREED, digest } from './agree.ts';

it('training and generation give the agreed bytes in a browser, with one thread and, where isolated, with two', async () => {
  expect(await digest(1)).toEqual({ hash: AGREED, threads: 1 });
  expect(await digest(2)).toEqual({ hash: AGREED, threads: globalThis.crossOriginIsolated ? 2 : 1 });
});
