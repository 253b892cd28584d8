// Starts the workers that the lab owns. The `new URL(…)` must stand in the call itself, or the build does not see the worker.
// The lab starts the model's and the games' workers itself: one owner, one life. When the page ends the lab, they end
// with it, and no port has to be handed on that could be left behind. Nested workers: Chromium, Firefox, Safari 16.4.
export const modelWorker = () =>
  new Worker(new URL('./model.worker.ts', import.meta.url), { type: 'module', name: 'model' });
export const webllmWorker = () =>
  new Worker(new URL('./webllm.worker.ts', import.meta.url), { type: 'module', name: 'webllm' });
export const gameWorker = () =>
  new Worker(new URL('./game.worker.ts', import.meta.url), { type: 'module', name: 'game' });
