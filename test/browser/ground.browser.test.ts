// What the other browser tests stand on: a real page, isolated, with IndexedDB, locks and module workers.
import { expect, test } from 'vitest';

test('the page is cross-origin isolated, so threads are possible', () => {
  expect(crossOriginIsolated).toBe(true);
  expect(new SharedArrayBuffer(8).byteLength).toBe(8);
});

test('storage, locks and module workers exist', async () => {
  expect(indexedDB).toBeDefined();
  expect(navigator.locks).toBeDefined();
  const url = URL.createObjectURL(new Blob(['postMessage(1 + 1)'], { type: 'text/javascript' }));
  const worker = new Worker(url, { type: 'module' });
  const answer = await new Promise((resolve, reject) => {
    worker.onmessage = (message) => resolve(message.data);
    worker.onerror = reject;
  });
  worker.terminate();
  expect(answer).toBe(2);
});

test('WebGPU has an adapter, in software if need be', async () => {
  expect(await navigator.gpu.requestAdapter()).not.toBeNull();
});
